import { expect, test } from '@playwright/test';
import { attendedDriver, driverFor, type Attendance } from './attended.ts';
import type { LaunchOptions, Session } from '../driver.ts';

const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

const options: LaunchOptions = {
  browser: 'chrome',
  executable: '',
  flags: [],
  preferences: {},
  headless: false,
  sandbox: true,
  environment: {},
  profile: '/p',
  ...bounds,
};

/** A person with a phone in hand, who does as the test says. */
class Person implements Attendance {
  readonly name = 'Pixel';
  readonly client = 'secret';
  readonly version = '128.0';
  readonly drawing = (): unknown => null;
  readonly events: string[] = [];
  here = true;
  lose: (why: string) => void = () => undefined;

  arrived(signal: AbortSignal): Promise<void> {
    if (this.here) return Promise.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  }

  hand(url: string): Promise<string> {
    this.events.push(`open ${url}`);
    return new Promise((lose) => {
      this.lose = lose;
    });
  }

  release(): void {
    this.events.push('release');
  }
}

async function launch(person: Person): Promise<Session> {
  return driverFor(person).launch(options);
}

test('hands a present device one page after the other, then releases it', async () => {
  const person = new Person();
  const session = await launch(person);
  await session.open('/one', bounds);
  await session.open('/two', bounds);
  expect(await session.version()).toBe('128.0');
  expect(session.client).toBe('secret');
  await session.close();
  expect(person.events).toEqual(['open /one', 'open /two', 'release']);
});

test('a lost page ends the session with a reason, a close without', async () => {
  const person = new Person();
  const session = await launch(person);
  await session.open('/one', bounds);
  person.lose('Pixel: its screen was locked');
  expect(await session.ended).toBe('Pixel: its screen was locked');
  const other = await launch(person);
  await other.open('/two', bounds);
  await other.close();
  person.lose('too late');
  expect(await Promise.race([other.ended, Promise.resolve('alive')])).toBe('alive');
});

test('a device that does not come back is given up in time', async () => {
  const person = new Person();
  person.here = false;
  await expect(driverFor(person).launch({ ...options, timeoutMs: 10 })).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringMatching(/Pixel .* 0 s$/) as unknown,
  });
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await expect(driverFor(person).launch({ ...options, signal })).rejects.toBe(reason);
});

test('refuses to launch for a device that has not joined', async () => {
  await expect(attendedDriver.launch(options)).rejects.toMatchObject({ code: 'not-supported' });
});
