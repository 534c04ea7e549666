import type { SetUpResult } from '../../app/setup.ts';
import { exitCodes, type ExitCode } from '../../errors.ts';
import { note, type Io } from '../io.ts';

/** Prints what is still missing after a setup. @returns the exit code. */
export function concludeSetUp(
  { browserRemedies, notInstalled, withoutAppium }: SetUpResult,
  io: Io,
): ExitCode {
  if (browserRemedies.length > 0) {
    note(io, 'No browser is here. To get one, type one of:');
    for (const remedy of browserRemedies) note(io, `  ${remedy}`);
  }
  if (notInstalled.length > 0) note(io, `Could not be installed: ${notInstalled.join(', ')}.`);
  if (withoutAppium.length > 0) note(io, `Appium is not whole for: ${withoutAppium.join(', ')}.`);
  const missing = [...browserRemedies, ...notInstalled, ...withoutAppium];
  return missing.length === 0 ? exitCodes.fine : exitCodes.unfinished;
}
