import { FarmError } from '../../core/errors.ts';
import { installedMark, type Timetable } from './timetable.ts';

/**
 * The script of PowerShell that a task of Windows starts: the secrets from their file, if it is
 * there, then the night in its folder. It begins with a byte order mark, without which PowerShell 5
 * would take a folder's name for one of another alphabet. Not tried on Windows.
 * @throws FarmError `bad-argument` for an argument with a quote, which PowerShell 5 hands on wrongly
 */
export function windowsScript({ command, folder, path, environmentFile }: Timetable): string {
  const spoilt = command.find((word) => word.includes('"'));
  if (spoilt !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${spoilt} has a quote, which a task of Windows cannot hold.`,
      next: 'Leave that argument out.',
    });
  }
  const file = quoted(environmentFile);
  return [
    `\uFEFF# ${installedMark}`,
    `Set-Location -LiteralPath ${quoted(folder)}`,
    `if (Test-Path -LiteralPath ${file}) {`,
    `  Get-Content -LiteralPath ${file} | ForEach-Object {`,
    String.raw`    if ($_ -match '^\s*([A-Za-z_]\w*)=(.*)$') {`,
    '      [Environment]::SetEnvironmentVariable($Matches[1], $Matches[2])',
    '    }',
    '  }',
    '}',
    `$env:PATH = ${quoted(path)}`,
    `& ${command.map(quoted).join(' ')}`,
    'exit $LASTEXITCODE',
    '',
  ].join('\r\n');
}

/** PowerShell takes typographic apostrophes for quotes, too. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

/** Words that have Windows start the script every day; a task of that name is replaced. */
export function createTask({ name, at }: Timetable, script: string): readonly string[] {
  const time = [at.hour, at.minute].map((number) => String(number).padStart(2, '0')).join(':');
  const run = `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${script}"`;
  return ['schtasks', '/Create', '/F', '/SC', 'DAILY', '/ST', time, '/TN', name, '/TR', run];
}

export function deleteTask(name: string): readonly string[] {
  return ['schtasks', '/Delete', '/F', '/TN', name];
}
