import { expect, test } from '@playwright/test';
import { useTestApi } from '../../../testing/api.ts';

const { shared } = useTestApi();

test('each address for people is a page, under the policy of the explorer', async () => {
  for (const path of ['/', '/explore', '/explore?run=1', '/runs/1']) {
    const response = await shared().get(path);
    expect(response.statusCode, path).toBe(200);
    expect(response.headers['content-type']).toMatch(/^text\/html/);
    expect(response.headers['content-security-policy']).toContain("script-src 'self'");
  }
});

test('serves reports and trials under a policy that blocks every fetch', async () => {
  for (const path of [
    ...['/report?run=1', '/report?run=2&run=1', '/trials/1'],
    ...['/findings', '/builds'],
  ]) {
    const response = await shared().get(path);
    expect(response.statusCode, path).toBe(200);
    const policy = String(response.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("'self'");
  }
});

test('leads an old address with a query to Explore', async () => {
  const { statusCode, headers } = await shared().get('/?benchmark=fib&p.n=12');
  expect([statusCode, headers.location]).toEqual([302, '/explore?benchmark=fib&p.n=12']);
});

test('the page of a case is there, and its part has values and links', async () => {
  const name = encodeURIComponent('fib function=syncFib n=12');
  expect((await shared().get(`/cases/${name}`)).statusCode).toBe(200);
  const part = await shared().get(`/parts/case?case=${name}`);
  const { run, found, heading } = part.json<Record<'run' | 'found' | 'heading', unknown>>();
  expect(run).toBe(2);
  expect(heading).toMatch(/syncFib\(12\)/);
  expect(found).toMatch(/<a href="\/trials\/\d+" tabindex="-1">/);
  expect(found).not.toContain('<script');
  expect((await shared().get(`/parts/case?case=${name}&run=1`)).json()).toMatchObject({ run: 1 });
  expect((await shared().get('/parts/case?case=nothing')).statusCode).toBe(404);
});

test('answers a missing page with a page that says so', async () => {
  for (const [path, status, sentence] of [
    ['/report?run=1&run=99', 404, 'There is no run 1 or 99 here.'],
    ['/report', 400, '&quot;run&quot;|&#34;run&#34;'],
    ['/report?run=%3Cscript%3E', 400, 'whole number'],
    ['/report?run=1&%3Cscript%3E=1', 400, 'There is no parameter'],
    ['/trials/99999', 404, 'There is no trial 99999 here.'],
    ['/cases/%3Cscript%3E', 404, 'There is no case &#34;&#60;script'],
    ['/runs/99', 404, 'There is no run 99 here.'],
    ['/runs/x', 400, 'whole number'],
    ['/nights/2026-11-20T00-00-00Z', 404, 'There is no such night here.'],
    ['/findings/A-1', 404, 'There is no such finding here.'],
    ['/findings/N1/evidence', 404, 'There is no evidence of this finding here.'],
    ['/finding/A-1', 404, 'There is nothing at /finding/A-1.'],
    ['/%3Cscript%3E', 404, 'There is nothing at /%3Cscript%3E.'],
  ] as const) {
    const response = await shared().get(path, { accept: 'text/html,*/*;q=0.8' });
    expect(response.statusCode, path).toBe(status);
    expect(response.headers['content-type']).toMatch(/^text\/html/);
    expect(response.body).toMatch(new RegExp(sentence));
    expect(response.body).toContain('<a href="/runs/2">Run 2</a>');
    expect(response.body).not.toMatch(/<script|\u202e/);
  }
});

test('answers a program that asks for nothing as a problem', async () => {
  for (const [path, accept] of [
    ['/finding/A-1', 'application/json'],
    ['/api/v1/nothing', 'text/html'],
    ['/parts/nothing', 'text/html'],
  ] as const) {
    const response = await shared().get(path, { accept });
    expect(response.statusCode, path).toBe(404);
    expect(response.headers['content-type']).toContain('application/problem+json');
  }
});
