import { run } from './001-run.ts';
import { trial } from './002-trial.ts';
import { reading } from './003-reading.ts';
import { result } from './004-result.ts';
import { truth } from './005-truth.ts';
import { quarantine } from './006-quarantine.ts';
import { question } from './007-question.ts';
import { probes } from './008-probes.ts';
import { anomaly } from './009-anomaly.ts';
import { theory } from './010-theory.ts';
import { firstRun } from './011-first-run.ts';
import { crossover } from './012-crossover.ts';
import { setting } from './013-setting.ts';
import { phone } from './014-phone.ts';
import { preference } from './015-preference.ts';
import { emulation } from './016-emulation.ts';
import { elsewhere } from './017-elsewhere.ts';
import { phoneReading } from './018-phone-reading.ts';
import { trialMedian } from './019-trial-median.ts';
import { runHistory } from './020-run-history.ts';
import { steadyState } from './021-steady-state.ts';
import { quietGate } from './022-quiet-gate.ts';

/**
 * Every step of the schema, oldest first; a step that was released is never changed again.
 * `PRAGMA user_version` of a database is the number of steps that it has taken.
 */
export const migrations: readonly string[] = [
  run,
  trial,
  reading,
  result,
  truth,
  quarantine,
  question,
  probes,
  anomaly,
  theory,
  firstRun,
  crossover,
  setting,
  phone,
  preference,
  emulation,
  elsewhere,
  phoneReading,
  trialMedian,
  runHistory,
  steadyState,
  quietGate,
];
