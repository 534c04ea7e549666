import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../core/project.ts';
import { aNight } from '../../testing/nights.ts';
import { nightDeclaration } from './night-document.ts';
import { notificationVariables } from './channels.ts';

const readMe = readFileSync(join(projectRoot(), 'harness/features/nights/README.md'), 'utf8');

/** Names in the first column of the table under a heading. */
function namesUnder(heading: string): readonly string[] {
  const section = readMe.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

test('the README names every member of night.json, in its order, and no other', () => {
  expect(namesUnder('`night.json`')).toEqual(Object.keys(nightDeclaration.shape));
});

test('the README names every variable of the notifications', () => {
  expect(namesUnder('Notifications')).toEqual(Object.keys(notificationVariables));
});

test('a document with a member that is not declared is of another format', () => {
  expect(nightDeclaration.safeParse(aNight()).success).toBe(true);
  expect(nightDeclaration.safeParse({ ...aNight(), more: 1 }).success).toBe(false);
  expect(nightDeclaration.safeParse({ ...aNight(), exitCode: 2 }).success).toBe(false);
});
