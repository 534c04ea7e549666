import { expect, test } from '@playwright/test';
import { aDevice } from '../../../testing/builders.ts';
import { FirstSessions } from './first-sessions.ts';

test('says what the first session on a phone costs, and how long it took', async () => {
  const said: string[] = [];
  let now = 0;
  const sessions = new FirstSessions(
    (sentence) => said.push(sentence),
    () => now,
  );
  const firefox = aDevice('fox', {
    browser: 'firefox',
    phone: { platform: 'android', profile: 'erase' },
  });
  const iphone = aDevice('iphone', { browser: 'safari', phone: { platform: 'ios' } });
  const start = (): Promise<string> => {
    now += 83_400;
    return Promise.resolve('session');
  };
  for (const device of [firefox, iphone, aDevice('desk'), firefox, iphone]) {
    sessions.announce(device);
    expect(await sessions.time(device, start)).toBe('session');
  }
  expect(said).toEqual([
    'fox: all data of its firefox (tabs, logins, history) are erased at each session, as "profile" in devices.json says',
    'fox: its first session began after 83.4 s',
    'iphone: its first session begins; Xcode may take minutes to build its agent',
    'iphone: its first session began after 83.4 s',
  ]);
});
