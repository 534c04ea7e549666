import { test, expect } from '@playwright/test';
import { cruise, type IReporterOutput } from 'dependency-cruiser';
import { createRequire } from 'node:module';
import { commands } from './cli/index.ts';
import { projectRoot } from './project.ts';

const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: object[];
  options: object;
};

test('every import is in the table of who may import whom', async () => {
  const broken = await violations(['harness', 'drivers', 'reports', 'pages']);
  expect(broken).toEqual([]);
});

test('the table notices a forbidden import', async () => {
  const strict = {
    name: 'no-model',
    comment: 'x',
    severity: 'error',
    from: {},
    to: { path: '^harness/model/' },
  };
  const broken = await violations(['harness/plan'], [strict]);
  expect(broken.length).toBeGreaterThan(0);
});

test('a command exports its declaration alone', async () => {
  for (const { name, load } of commands) {
    expect(Object.keys(await load()), name).toEqual(['declare']);
  }
});

/** One sentence for each forbidden import, saying what to change. */
async function violations(folders: string[], forbidden = rules.forbidden): Promise<string[]> {
  const before = process.cwd();
  process.chdir(projectRoot());
  try {
    const result: IReporterOutput = await cruise(folders, {
      ...rules.options,
      validate: true,
      ruleSet: { forbidden } as never,
    });
    if (typeof result.output === 'string') throw new TypeError('a structured result was expected');
    return result.output.summary.violations
      .filter((one) => one.rule.severity === 'error')
      .map(
        (one) =>
          `${one.from} may not import ${one.to}; if the design changed, update the table in .dependency-cruiser.cjs`,
      );
  } finally {
    process.chdir(before);
  }
}
