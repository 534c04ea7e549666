import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

test('without any device the command ends in time, and stores nothing', async () => {
  const folder = await aFolder();
  const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '2'];
  const { code, stderr } = await farmInProcess(folder, 'attend', ...small, '--patience', '0.2');
  expect(code).toBe(3);
  expect(stderr).toContain('No device has joined in time.');
  expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/join\/[\w-]{22}/);
  expect((await farmInProcess(folder, 'report')).code).not.toBe(0);
});
