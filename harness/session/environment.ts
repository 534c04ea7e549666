import type { Device } from '../model/device.ts';
import { farmMark, farmVariable } from './farm-mark.ts';
import { sessionVariable } from './process-tree.ts';
import { xdgFolders, type SessionDirectory } from './session-directory.ts';

/** Belong to the farm's own desktop or process; a browser must not take them for its own. */
const notInherited = ['DISPLAY', 'WAYLAND_DISPLAY', 'NODE_OPTIONS', sessionVariable, farmVariable];

export interface EnvironmentParts {
  readonly device: Device;
  readonly place: SessionDirectory;
  /** Null when the browser needs none. */
  readonly display: string | null;
}

/** The complete environment of a session's browser. What the owner gave in `devices.json` wins. */
export function makeEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  { device, place, display }: EnvironmentParts,
): Readonly<Record<string, string>> {
  const kept = Object.entries(inherited).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !notInherited.includes(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    ...xdgFolders(place),
    TMPDIR: place.temporary,
    ...(display !== null && { DISPLAY: display }),
    ...device.environment,
    [sessionVariable]: place.id,
    [farmVariable]: farmMark(),
  };
}
