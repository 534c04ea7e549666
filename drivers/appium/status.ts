import { pick, readServerStatus } from '../shared/server-status.ts';
import { errorText } from '../shared/step.ts';

/** Versions before it speak another protocol, or name their drivers differently. */
const oldestMajor = 2;

/**
 * Asks what is at an address for Appium's status.
 * @returns half a sentence that says why it cannot be used; null when it can.
 */
export async function findRefusal(address: string, signal?: AbortSignal): Promise<string | null> {
  try {
    const version = await readServerStatus(address, { kind: 'Appium', signal, read: readVersion });
    if (version === null) return `what answers at ${address} is no Appium server`;
    if (Number(version.split('.')[0]) >= oldestMajor) return null;
    return `Appium ${version} answers at ${address}, and the farm needs version ${String(oldestMajor)} or later`;
  } catch (error) {
    return errorText(error);
  }
}

/** The version in `{"value":{"build":{"version":"3.1.0"}}}`; null when it is something else. */
function readVersion(text: string): string | null {
  const version = pick(pick(pick(parse(text), 'value'), 'build'), 'version');
  return typeof version === 'string'
    ? (/^\d{1,5}\.\d{1,5}[\w.-]{0,50}$/.exec(version)?.[0] ?? null)
    : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
