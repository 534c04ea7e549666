import type { Command } from 'commander';
import { type ExitCode, FarmError } from '../../core/errors.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  type DatabaseOption,
  type JsonOption,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly page?: string;
  readonly build?: string;
  readonly browsers?: string;
  readonly measure: readonly string[];
  readonly budget: string;
  readonly failOn: string;
  readonly base?: string;
  readonly head?: string;
  readonly name?: string;
  readonly history?: string;
  readonly comment: boolean;
}

export function declare(command: Command, run: Runner): void {
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command.argument('[options...]', 'after --: more options of compare');
  withDatabase(command);
  withJson(command, 'print { exitCode, base, head, run, markdown, comment, check, history, notes }')
    .option('--page <file>', 'page, as a path inside the repository')
    .option('--build <command>', 'command that builds each commit')
    .option('--browsers <ids>', 'browsers to measure (default: all found)')
    .option('--measure <what>', 'what to measure, as compare takes it; repeatable', collect, [])
    .option('--budget <duration>', 'stop after this time', '10m')
    .option('--fail-on <change>', 'exit with 1 on this change', 'slower=5%')
    .option('--base <ref>', 'commit to compare with (default: of the job)')
    .option('--head <ref>', 'commit to judge (default: of the job)')
    .option('--name <name>', 'tells jobs of one pull request apart')
    .option('--history <path>', 'folder or database (.db) for results by commit')
    .option('--no-comment', 'write no comment and no check')
    .addHelpText('after', help)
    .action((words: readonly string[], options: Options) =>
      run((io) => answer(words, options, io)),
    );
}

const help = `
GitHub, Gitea, Forgejo, GitLab and Jenkins are recognised by their variables; elsewhere --base names the branch:
  ${npxCrossfarm} ci --page bench/index.html --build "npm ci && npm run build"
  ${npxCrossfarm} ci --page bench/index.html --base main --browsers chromium -- --measurement fast

A pull request is compared from its merge base. With a token (CROSSFARM_TOKEN, or GITHUB_TOKEN, GITEA_TOKEN,
GITLAB_TOKEN) one comment is added and later changed, and the commit gets a check. No build or page sees it.`;

async function answer(typed: readonly string[], asked: Options, io: Io): Promise<ExitCode> {
  const { takeInputs } = await import('./surroundings.ts');
  const { options: inputs, more } = takeInputs(process.env);
  const { json, page, build, browsers, measure, budget, failOn, ...options } = {
    ...asked,
    ...inputs,
  };
  if (page === undefined) {
    throw new FarmError('bad-argument', {
      what: 'The page to compare is missing.',
      next: 'Name it, as a path inside the repository: --page bench/index.html',
    });
  }
  const words = [
    ...(build === undefined ? [] : [`--build=${build}`]),
    ...(browsers === undefined ? [] : [`--browsers=${browsers}`]),
    ...measure.map((one) => `--measure=${one}`),
    ...[`--budget=${budget}`, `--fail-on=${failOn}`],
    ...typed,
    ...more,
  ];
  const { answerPullRequest } = await import('./ci.ts');
  const answered = await answerPullRequest({ ...options, page, words }, io);
  if (json) printJson(io, answered);
  else print(io, answered.markdown);
  for (const line of answered.notes) note(io, plain(line));
  return answered.exitCode;
}
