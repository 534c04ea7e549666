import { hostOf, makeTrial, moduleOf } from './bridge.js';
import { execute } from './execution.js';
import { startedProgram } from './started-program.js';

/**
 * Bridge to a program in another language than JavaScript: the benchmark's module `program.js`
 * starts it as a child of this process inside the timed window. The clock of the trial is this
 * process's; what the program measures is measured by its own.
 */
await makeTrial(async ({ href, fetchAssignment, mark, onPhase }) => {
  const assignment = await fetchAssignment();
  const benchmarkUrl = moduleOf(href, 'program.js').href;
  const result = await execute({ benchmarkUrl, assignment, mark, onPhase });
  return { ...result, host: hostOf(startedProgram().product) };
});
