import { installedMark, type Timetable } from './timetable.ts';

/** The two lines of a crontab: whose they are, and what is done when. */
export function cronLines(timetable: Timetable): readonly string[] {
  const { at } = timetable;
  const line = `${String(at.minute)} ${String(at.hour)} * * * ${shellCommand(timetable)}`;
  // In a crontab a % ends the line, wherever it stands.
  return [cronMark(timetable.name), line.replaceAll('%', String.raw`\%`)];
}

function cronMark(name: string): string {
  return `# ${installedMark} (${name})`;
}

/** A crontab without the lines of this name, which are one after the other. */
export function withoutCronLines(crontab: string, name: string): string {
  const lines = crontab.split('\n');
  const mark = cronMark(name);
  const kept = lines.filter((line, index) => line !== mark && lines[index - 1] !== mark);
  return kept.join('\n');
}

/** A crontab with the timetable in place of the one of its name. */
export function withCronLines(crontab: string, timetable: Timetable): string {
  const others = withoutCronLines(crontab, timetable.name);
  const before = others === '' || others.endsWith('\n') ? others : `${others}\n`;
  return `${before}${cronLines(timetable).join('\n')}\n`;
}

export function hasCronLines(crontab: string, name: string): boolean {
  return crontab.split('\n').includes(cronMark(name));
}

/** One line for /bin/sh: secrets from their file, if it is there, then the night in its folder. */
export function shellCommand({
  command,
  folder,
  path,
  environmentFile,
}: Omit<Timetable, 'name' | 'at'>): string {
  const file = shellQuoted(environmentFile);
  const secrets = `if [ -r ${file} ]; then set -a; . ${file}; set +a; fi`;
  const night = command.map(shellQuoted).join(' ');
  return `cd ${shellQuoted(folder)} && { ${secrets}; PATH=${shellQuoted(path)} exec ${night}; }`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
