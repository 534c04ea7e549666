import { test } from '@playwright/test';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { appiumDriver, serverProgram } from './appium.ts';
import { describeDriver, findInstalled, type CaseName } from '../conformance.ts';
import { startServer, type RunningServer } from '../shared/driver-server.ts';
import { watchEnding } from '../shared/step.ts';

const modules = resolve('node_modules');

/** Appium's program; null without this driver of Appium or the program behind it. */
function findAppium(driver: string, ...behind: readonly string[]): string | null {
  const parts = [findInstalled(join(modules, driver, 'package.json')), findInstalled(...behind)];
  return parts.includes(null) ? null : findInstalled(join(modules, 'appium/index.js'));
}

const appium = findAppium('appium-chromium-driver', '/usr/bin/chromedriver');
const executable = findInstalled('/usr/bin/chromium');
const subject = { driver: appiumDriver, browser: 'chromium', executable };

/**
 * A server takes 2 s of CPU to start: only the cases that depend on it are tried with one that the
 * farm starts.
 */
const ofOwnServer: readonly CaseName[] = [
  'lists the processes that it started, which carry the given environment',
  'closing leaves nothing running, and is not reported as a death',
  'reports the death of the browser, and can still be closed',
  'reports the death of the driver server in front of the browser',
  'launches that are given up leave nothing running',
];

describeDriver({
  ...subject,
  how: ' with its own server',
  server: appium,
  only: ofOwnServer,
});

describeDriver({
  driver: appiumDriver,
  browser: 'firefox',
  executable: findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox'),
  server: findAppium('appium-geckodriver', '/usr/bin/geckodriver', '/usr/local/bin/geckodriver'),
  only: [
    'a second page inherits nothing, is visible, and the first one is closed',
    'hands preferences to the browser',
    'lists the processes that it started, which carry the given environment',
    'closing leaves nothing running, and is not reported as a death',
  ],
});

test.describe('with a server that is there already', () => {
  let running: RunningServer | null = null;

  test.beforeAll(async () => {
    if (appium === null) return;
    const environment = { PATH: process.env['PATH'] ?? '', HOME: tmpdir() };
    const program = serverProgram(appium, { driver: 'chromium', features: [] }, environment);
    const abandoned = new AbortController().signal;
    running = await startServer(program, { ending: watchEnding(), abandoned });
  });

  test.afterAll(() => running?.program.end(3000));

  describeDriver({
    ...subject,
    how: ' by address',
    server: appium === null ? null : () => `http://127.0.0.1:${String(running?.port)}`,
    without: {
      'lists the processes that it started, which carry the given environment':
        'what is started here is started by the server',
      'reports the death of the browser, and can still be closed':
        'it does not know which process is the browser',
    },
  });
});
