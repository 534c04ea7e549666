import { expect, test } from '@playwright/test';
import { isSelected, nameNearest, parseSelector, readSelector } from './selector.ts';

const versions = ['92', '109.0.5414.74', '110.0.5481.77', '153.0.8010.0'];

function selected(text: string): readonly string[] {
  const selector = parseSelector(text);
  return versions.filter((version) => isSelected(version, selector));
}

test('names a build by major or full version, several by range', () => {
  expect(selected('chromium@110')).toEqual(['110.0.5481.77']);
  expect(selected('chromium@110.0.5481.77')).toEqual(['110.0.5481.77']);
  expect(selected('chromium@11')).toEqual([]);
  expect(selected('chromium@92..110')).toEqual(['92', '109.0.5414.74', '110.0.5481.77']);
  expect(selected('chromium@93..109')).toEqual(['109.0.5414.74']);
  expect(selected('chromium@110..153.0.8010.0')).toEqual(['110.0.5481.77', '153.0.8010.0']);
});

test('a device keeps its name when its browser is another build', () => {
  expect(readSelector('chromium-puppeteer@140.12.0esr')).toMatchObject({
    name: 'chromium-puppeteer',
    from: '140.12.0esr',
    to: null,
  });
});

test('refuses a name without a build, with an example', () => {
  for (const text of [
    'chromium',
    'chromium@',
    'chromium@a',
    'chromium@153..110',
    '@1',
    'a@1...2',
  ]) {
    expect(() => parseSelector(text), text).toThrow(/names no build/);
  }
});

test('names the nearest versions to an unknown one', () => {
  const nearest = (text: string): string => nameNearest(parseSelector(text), ['119', '121', '9']);
  expect(nearest('chromium@120')).toBe('chromium@119 and chromium@121');
  expect(nearest('chromium@200')).toBe('chromium@121');
  expect(nameNearest(parseSelector('opera@1'), [])).toBe('');
});
