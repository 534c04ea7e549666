import { test, expect } from '@playwright/test';
import { ClientRegistry, type Claim } from './client-registry.ts';

const pixel = { name: 'Pixel', userAgent: 'test' };

function aDesk(): { readonly registry: ClientRegistry; readonly clock: { now: number } } {
  const clock = { now: 0 };
  return { registry: new ClientRegistry({ inviteMs: 1000, now: () => clock.now }), clock };
}

function secretOf(claim: Claim): string {
  if (claim.kind === 'refused') throw new Error(claim.why);
  return claim.client.secret;
}

test('an invitation clients one device, which is then known by its secret', () => {
  const { registry } = aDesk();
  const invitation = registry.invite();
  const secret = secretOf(registry.claim(invitation, pixel));
  expect(registry.clientOf(secret)?.name).toBe('Pixel');
  expect(registry.look(invitation, secret)).toBe('own');
  expect(registry.look(invitation, null)).toBe('taken');
  expect(registry.claim(invitation, { ...pixel, name: 'Thief' })).toEqual({
    kind: 'refused',
    why: 'taken',
  });
});

test('two devices have two invitations and two secrets', () => {
  const { registry } = aDesk();
  const secrets = [registry.invite(), registry.invite()].map((one) =>
    secretOf(registry.claim(one, pixel)),
  );
  expect(new Set(secrets).size).toBe(2);
  expect(secrets.every((one) => one.length === 22)).toBe(true);
});

test('an unused invitation expires, the client of an accepted one does not', () => {
  const { registry, clock } = aDesk();
  const [late, early] = [registry.invite(), registry.invite()];
  const secret = secretOf(registry.claim(early, pixel));
  clock.now = 1001;
  expect(registry.look(late, null)).toBe('expired');
  expect(registry.claim(late, pixel)).toEqual({ kind: 'refused', why: 'expired' });
  expect(registry.look(early, secret)).toBe('own');
});

test('does not know an unissued invitation or secret', () => {
  const { registry } = aDesk();
  expect(registry.claim('AAAAAAAAAAAAAAAAAAAAAA', pixel)).toEqual({
    kind: 'refused',
    why: 'unknown',
  });
  expect(registry.clientOf('AAAAAAAAAAAAAAAAAAAAAA')).toBeNull();
  expect(registry.clientOf(null)).toBeNull();
});

test('a wait gets the next device, or the reason of its abort', async () => {
  const { registry } = aDesk();
  const next = registry.nextClient(new AbortController().signal);
  registry.claim(registry.invite(), pixel);
  expect((await next).name).toBe('Pixel');
  const reason = new Error('enough');
  const controller = new AbortController();
  const waiting = registry.nextClient(controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
