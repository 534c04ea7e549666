import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolderOf } from '../../testing/folder.ts';
import { readSurroundings, takeInputs, takeToken } from './surroundings.ts';

test('GitLab, Jenkins and Gitea are recognised by their variables', async () => {
  const gitlab = await readSurroundings({
    GITLAB_CI: 'true',
    CI_API_V4_URL: 'https://gitlab.example.org/api/v4',
    CI_PROJECT_ID: '42',
    CI_MERGE_REQUEST_IID: '5',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
    CI_COMMIT_SHA: 'abc',
  });
  expect(gitlab).toMatchObject({
    forge: { kind: 'gitlab', api: 'https://gitlab.example.org/api/v4', project: '42' },
    pull: 5,
    base: { branch: 'main', ref: 'main' },
    head: { branch: 'feature', ref: 'abc' },
  });
  const jenkins = { JENKINS_URL: 'x', CHANGE_ID: '5', CHANGE_TARGET: 'main', GIT_COMMIT: 'abc' };
  for (const [url, forge] of [
    [
      'https://github.com/o/n/pull/5',
      { kind: 'github', api: 'https://api.github.com', project: 'o/n' },
    ],
    ['https://git.example.org/o/n/pulls/5', { kind: 'gitea', project: 'o/n' }],
    ['https://lab.example.org/a/b/c/-/merge_requests/5', { kind: 'gitlab', project: 'a/b/c' }],
    ['file:///o/n/pull/5', null],
  ] as const) {
    const read = await readSurroundings({ ...jenkins, CHANGE_URL: url });
    expect(read).toMatchObject({ pull: 5, base: { ref: 'main' }, head: { ref: 'abc' }, forge });
  }
  const gitea = { GITHUB_ACTIONS: 'true', GITEA_ACTIONS: 'true', GITHUB_REPOSITORY: 'o/n' };
  expect(await readSurroundings(gitea)).toMatchObject({ forge: { kind: 'gitea' }, pull: null });
});

test('the first push of a branch is compared with its parent', async () => {
  const folder = await aFolderOf({ 'event.json': '{"before":"0000000000","after":"abc"}' });
  const event = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: join(folder, 'event.json') };
  expect((await readSurroundings(event)).base?.ref).toBe('HEAD^');
});

test('CROSSFARM_TOKEN is taken, and the build keeps the other tokens', () => {
  const environment = { CROSSFARM_TOKEN: 'ours', GITHUB_TOKEN: 'theirs' };
  expect(takeToken(environment, ['GITHUB_TOKEN'])).toBe('ours');
  expect(environment).toEqual({ GITHUB_TOKEN: 'theirs' });
});

test('inputs of the action become options, and leave no token behind', () => {
  const inputs = {
    page: 'bench/index.html',
    'fail-on': ' slower=10% ',
    measure: 'load\n\nwork\n',
    options: '--cores\n2',
    build: '',
    package: 'crossfarm@1',
    token: 'secret',
  };
  const environment = { CROSSFARM_INPUTS: JSON.stringify(inputs), GITHUB_TOKEN: 'theirs' };
  expect(takeInputs(environment)).toEqual({
    options: { page: 'bench/index.html', failOn: 'slower=10%', measure: ['load', 'work'] },
    more: ['--cores', '2'],
  });
  expect(environment).toEqual({ CROSSFARM_TOKEN: 'secret', GITHUB_TOKEN: 'theirs' });
  expect(takeInputs(environment)).toEqual({ options: {}, more: [] });
});
