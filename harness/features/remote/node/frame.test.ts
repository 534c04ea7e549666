import { expect, test } from '@playwright/test';
import { NodeUnreadable, parseFrame, parseNumber } from './frame.ts';

const answer = (text: string) => ({ text, sentMs: 100, receivedMs: 104 });

test('parses files by path and line at the middle of the round trip', () => {
  const frame = parseFrame(
    answer('/self:7\n/proc/7/stat:7 (sh) S\n/proc/stat:cpu  1\n/proc/stat:cpu0 1 2: 3\n'),
  );
  expect(frame).toMatchObject({ atMs: 102, errorMs: 2, reader: 7 });
  expect(frame.files.read('/proc/stat')).toBe('cpu  1\ncpu0 1 2: 3\n');
  expect(frame.files.read('/proc/8/stat')).toBeNull();
});

test('names in a folder are those that the answer has', () => {
  const { files } = parseFrame(
    answer('/self:7\n/proc/12/task/12/schedstat:1\n/proc/12/task/15/schedstat:1\n/proc/stat:x\n'),
  );
  expect(files.list('/proc/12/task')).toEqual(['12', '15']);
  expect(files.list('/proc')).toEqual(['12', 'stat']);
});

test('refuses a malformed answer or number', () => {
  expect(() => parseFrame(answer('Welcome to this machine!\n'))).toThrow(NodeUnreadable);
  expect(() => parseNumber(answer('/ticks:many\n'), 'ticks')).toThrow(NodeUnreadable);
  expect(parseNumber(answer('/ticks:100\n'), 'ticks')).toBe(100);
});
