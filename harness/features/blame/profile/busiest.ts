import { formatScriptPlace } from '../../../core/model/explanation.ts';
import type { BusyFunction, ShownFunction } from '../../../core/results/index.ts';
import { functionTimes, type Profile, type ProfiledFunction } from './profile.ts';

/** Lists functions by their self time, those of helper threads and idle time left out. */
export function listBusiest(profile: Profile): readonly BusyFunction[] {
  const times = [...functionTimes(profile, ({ role }) => role !== 'helper').values()].filter(
    ({ selfMs, function: { category } }) => selfMs > 0 && category !== 'idle',
  );
  const busyMs = times.reduce((sum, { selfMs }) => sum + selfMs, 0);
  return times
    .map(({ function: what, selfMs, totalMs }) => ({
      ...showFunction(what),
      selfMs,
      totalMs,
      share: selfMs / busyMs,
    }))
    .sort((a, b) => b.selfMs - a.selfMs);
}

/** Kinds of work have one name each, whatever label an engine gives them. */
export function showFunction(one: ProfiledFunction): ShownFunction {
  const { name, url, line, category } = one;
  const isScript = category === 'script';
  return {
    name: isScript ? name : `(${category})`,
    source: url,
    line: line > 0 ? line : null,
    place: isScript ? formatScriptPlace({ ...one, source: url }) : '',
    category,
  };
}
