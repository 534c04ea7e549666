/** Comments and checks of a pull request, against a stand-in of the APIs. */
import { expect, test } from '@playwright/test';
import { aForge, jobBot, type StandInForge, stranger } from '../../testing/forge.ts';
import { type ForgeAccess, putCheck, putComment } from './forge.ts';
import type { Forge } from './surroundings.ts';

const marker = '<!-- crossfarm ci  -->';
const token = 'secret-of-the-token';

let forge: StandInForge;
test.beforeEach(async () => {
  forge = await aForge();
});
test.afterEach(() => forge.close());

function accessTo(kind: Forge['kind'] = 'github'): ForgeAccess {
  const project = kind === 'gitlab' ? 'group/sub/project' : 'owner/name';
  const signal = new AbortController().signal;
  return { forge: { kind, api: forge.api, project }, token, signal, waitMs: 1 };
}

for (const kind of ['github', 'gitea', 'gitlab'] as const) {
  test(`${kind}: one comment is added, then changed`, async () => {
    forge.owner = kind === 'github' ? null : 12;
    expect(await putComment(accessTo(kind), 5, { marker, body: 'first' })).toBe('added');
    expect(await putComment(accessTo(kind), 5, { marker, body: 'second' })).toBe('changed');
    expect(forge.comments.map(({ body }) => body)).toEqual([`${marker}\nsecond`]);
    const paths = forge.requests.map(({ path }) => path.split('?')[0]);
    expect(paths).toContain(
      {
        github: '/repos/owner/name/issues/5/comments',
        gitea: '/repos/owner/name/issues/5/comments',
        gitlab: '/projects/group%2Fsub%2Fproject/merge_requests/5/notes',
      }[kind],
    );
    const headers = forge.requests[0]?.headers ?? {};
    expect(headers[kind === 'gitlab' ? 'private-token' : 'authorization']).toContain(token);
  });
}

test('the comment is found behind hundreds of others', async () => {
  const user = { id: jobBot, type: 'Bot' };
  for (let id = 1; id <= 250; id += 1) forge.comments.push({ id, body: 'something', user });
  await putComment(accessTo(), 5, { marker, body: 'first' });
  await putComment(accessTo(), 5, { marker, body: 'second' });
  expect(forge.comments.length).toBe(251);
  expect(forge.comments.at(-1)?.body).toContain('second');
});

test('does not change a comment of another account @attack', async () => {
  const body = `${marker}\nnothing is slower`;
  forge.comments.push({ id: 1, body, user: { id: stranger, type: 'User' } });
  expect(await putComment(accessTo(), 5, { marker, body: 'slower' })).toBe('added');
  forge.owner = 12;
  expect(await putComment(accessTo(), 5, { marker, body: 'slower' })).toBe('added');
  expect(forge.comments[0]?.body).toBe(body);
});

test('a refusal says which permission the token lacks, and not the token', async () => {
  forge.refuse = ({ method }) => (method === 'POST' ? 403 : null);
  const refused = await putComment(accessTo(), 5, { marker, body: 'x' }).catch(String);
  expect(refused).toContain('pull-requests: write');
  expect(refused).not.toContain(token);
  const check = { name: 'crossfarm', commit: 'abc', title: 't', summary: 's' };
  const noCheck = await putCheck(accessTo(), { ...check, conclusion: 'success' }).catch(String);
  expect(noCheck).toContain('checks: write');
});

test('an API that fails for a moment is asked again, and one that is down is given up', async () => {
  let failures = 2;
  forge.refuse = () => ((failures -= 1) >= 0 ? 502 : null);
  expect(await putComment(accessTo(), 5, { marker, body: 'x' })).toBe('added');
  forge.refuse = () => 503;
  const before = forge.requests.length;
  const given = await putComment(accessTo(), 5, { marker, body: 'x' }).catch(String);
  expect(given).toContain('503');
  expect(forge.requests.length - before).toBe(4);
});

test('a token does not follow to another address @attack', async () => {
  const other = await aForge();
  forge.redirect = other.api;
  await expect(putComment(accessTo(), 5, { marker, body: 'x' })).rejects.toThrow('did not answer');
  expect(other.requests).toEqual([]);
  await other.close();
});

test('a check has its summary on GitHub, and elsewhere is the status of the commit', async () => {
  const check = { name: 'crossfarm', commit: 'abc', title: '8 % slower', summary: '| table |' };
  for (const kind of ['github', 'gitea', 'gitlab'] as const) {
    await putCheck(accessTo(kind), { ...check, conclusion: 'failure' });
  }
  expect(forge.requests.map(({ path, body }) => ({ path, body }))).toMatchObject([
    {
      path: '/repos/owner/name/check-runs',
      body: { head_sha: 'abc', conclusion: 'failure', output: { summary: '| table |' } },
    },
    { path: '/repos/owner/name/statuses/abc', body: { state: 'failure' } },
    {
      path: '/projects/group%2Fsub%2Fproject/statuses/abc',
      body: { state: 'failed', description: '8 % slower' },
    },
  ]);
});
