import { test } from '@playwright/test';
import { aFolder } from './folder.ts';

/** Gives each test of a file its own folder of the user's state, with what is trusted and the farm's authority. */
export function useOwnState(): void {
  const usual = process.env['XDG_STATE_HOME'];
  test.beforeEach(async () => {
    process.env['XDG_STATE_HOME'] = await aFolder();
  });
  test.afterEach(() => {
    if (usual === undefined) Reflect.deleteProperty(process.env, 'XDG_STATE_HOME');
    else process.env['XDG_STATE_HOME'] = usual;
  });
}
