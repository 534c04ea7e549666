import { expect, test } from '@playwright/test';
import { tokenVariable } from './agent-client.ts';
import { openOwnAgent } from './agent-server.ts';

test.skip(process.platform !== 'linux', 'an agent reads Linux’s /proc');

const usual = process.env[tokenVariable];

test.afterEach(() => {
  if (usual === undefined) Reflect.deleteProperty(process.env, tokenVariable);
  else process.env[tokenVariable] = usual;
});

for (const token of [
  'x',
  'correct horse battery staple',
  '0123456789abcdef0123456789abcde',
  'x'.repeat(40),
]) {
  test(`refuses ${token.slice(0, 32)} as a token, with what to do`, async () => {
    process.env[tokenVariable] = token;
    await expect(openOwnAgent({ port: 0 })).rejects.toMatchObject({
      code: 'bad-argument',
      message: expect.stringMatching(/CROSSFARM_AGENT_TOKEN has less than 128 random bits/),
      next: expect.stringContaining('openssl rand -hex 16'),
    });
  });
}

for (const token of ['c0ffee12c0ffee34c0ffee56c0ffee78', 'S3p_tH-8sQ0aZx1vB2nM4w']) {
  test(`takes ${token} as a token`, async () => {
    process.env[tokenVariable] = token;
    const agent = await openOwnAgent({ port: 0 });
    expect(agent).toMatchObject({ token, isNewToken: false });
    await agent.close();
  });
}

test('makes a token of 128 bits when none is given, another one each time', async () => {
  Reflect.deleteProperty(process.env, tokenVariable);
  const agents = [await openOwnAgent({ port: 0 }), await openOwnAgent({ port: 0 })];
  for (const { token, isNewToken, close } of agents) {
    expect(Buffer.from(token, 'base64url')).toHaveLength(16);
    expect(isNewToken).toBe(true);
    await close();
  }
  expect(agents[0]!.token).not.toBe(agents[1]!.token);
});
