import {
  type Explanation,
  type LocateScripts,
  scriptOfFrame,
} from '../../../core/model/explanation.ts';
import { ProfileBuilder } from './builder.ts';
import { locateFunctions } from './locate-functions.ts';
import { makeTextReader } from './sources/page-text.ts';

type Script = NonNullable<Explanation['frame']>['scripts'][number];

/** Characters of a name or a place in an explanation. */
const longest = 120;

/**
 * Gives scripts of long frames the names and places that their author knows, as a profile does with its
 * functions. A script without a source map stays as it is, and so does one whose map gives no valid name.
 */
export const locateScripts: LocateScripts = async (told, bounds) => {
  const builder = new ProfileBuilder();
  const indexes = new Map<Script, number>();
  for (const script of told.flatMap(({ frame }) => frame?.scripts ?? [])) {
    const { name, url, line, column } = script;
    if (url === undefined || line === undefined || column === undefined) continue;
    indexes.set(script, builder.addFunction({ name, url, line, column, category: 'script' }));
  }
  await locateFunctions(builder, makeTextReader(bounds));
  const located = new Map([...builder.listScripts().values()].flat());
  const rename = (script: Script): Script => {
    const found = located.get(indexes.get(script) ?? -1);
    if (found === undefined) return script;
    const { name, url, line, column } = found;
    const called = script.name === '' && name === '(anonymous)' ? '' : name.slice(0, longest);
    const named = { ...script, name: called, source: url.slice(-longest), line, column };
    return scriptOfFrame.safeParse(named).success ? named : script;
  };
  return told.map(({ frame, ...one }) => ({
    ...one,
    ...(frame !== undefined && { frame: { ...frame, scripts: frame.scripts.map(rename) } }),
  }));
};
