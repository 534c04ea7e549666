import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../testing/fake-farm.ts';

test('the seed repeats the order of a run', async () => {
  const { farm } = await aFakeFarm();
  const cases = ['--bench', 'control', '--param', 'rounds=1000..1009', '--isolation', 'page'];
  const order = async (seed: number): Promise<unknown[]> => {
    const args = ['run', '--device', 'one', '--trials', '1', ...cases, '--seed', String(seed)];
    const { stdout } = await farm(...args, '--json');
    return stdout
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly case: string })
      .flatMap((event) => (event.type === 'trial-ended' ? [event.case] : []));
  };
  const first = await order(5);
  expect(first).toHaveLength(10);
  expect(await order(5)).toEqual(first);
  expect(await order(6)).not.toEqual(first);
});
