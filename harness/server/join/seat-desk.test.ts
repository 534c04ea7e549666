import { test, expect } from '@playwright/test';
import { SeatDesk, type Claim } from './seat-desk.ts';

const pixel = { name: 'Pixel', userAgent: 'test' };

function aDesk(): { readonly desk: SeatDesk; readonly clock: { now: number } } {
  const clock = { now: 0 };
  return { desk: new SeatDesk({ inviteMs: 1000, now: () => clock.now }), clock };
}

function secretOf(claim: Claim): string {
  if (claim.kind === 'refused') throw new Error(claim.why);
  return claim.seat.secret;
}

test('an invitation seats one device, which is then known by its secret', () => {
  const { desk } = aDesk();
  const invitation = desk.invite();
  const secret = secretOf(desk.claim(invitation, pixel));
  expect(desk.seatOf(secret)?.name).toBe('Pixel');
  expect(desk.look(invitation, secret)).toBe('own');
  expect(desk.look(invitation, null)).toBe('taken');
  expect(desk.claim(invitation, { ...pixel, name: 'Thief' })).toEqual({
    kind: 'refused',
    why: 'taken',
  });
});

test('two devices have two invitations and two secrets', () => {
  const { desk } = aDesk();
  const secrets = [desk.invite(), desk.invite()].map((one) => secretOf(desk.claim(one, pixel)));
  expect(new Set(secrets).size).toBe(2);
  expect(secrets.every((one) => one.length === 22)).toBe(true);
});

test('an invitation that nobody took expires, and the seat of one that was taken does not', () => {
  const { desk, clock } = aDesk();
  const [late, early] = [desk.invite(), desk.invite()];
  const secret = secretOf(desk.claim(early, pixel));
  clock.now = 1001;
  expect(desk.look(late, null)).toBe('expired');
  expect(desk.claim(late, pixel)).toEqual({ kind: 'refused', why: 'expired' });
  expect(desk.look(early, secret)).toBe('own');
});

test('an invitation that never was, and a secret of nobody, are unknown', () => {
  const { desk } = aDesk();
  expect(desk.claim('AAAAAAAAAAAAAAAAAAAAAA', pixel)).toEqual({ kind: 'refused', why: 'unknown' });
  expect(desk.seatOf('AAAAAAAAAAAAAAAAAAAAAA')).toBeNull();
  expect(desk.seatOf(null)).toBeNull();
});

test('whoever waits hears of the next device, or that it is not waited for any more', async () => {
  const { desk } = aDesk();
  const next = desk.nextSeat(new AbortController().signal);
  desk.claim(desk.invite(), pixel);
  expect((await next).name).toBe('Pixel');
  const reason = new Error('enough');
  const controller = new AbortController();
  const waiting = desk.nextSeat(controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
