import { expect, test } from '@playwright/test';
import { Command } from 'commander';
import { probeArguments } from '../app/run/repeat-command.ts';
import { parseDuration, withProbes, withTrialOptions, type ProbeOptions } from './options.ts';

function parse(...args: readonly string[]): ProbeOptions {
  const command = withProbes(new Command('x')).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  return command.parse([...args], { from: 'user' }).opts<ProbeOptions>();
}

test.describe('a duration', () => {
  const known: Readonly<Record<string, number>> = {
    '90': 90_000,
    '0.2': 200,
    '.5': 500,
    '90s': 90_000,
    '3m': 180_000,
    '1h': 3_600_000,
    '500ms': 500,
    '1.5h': 5_400_000,
    ' 2 m ': 120_000,
    '24h': 86_400_000,
  };

  test('is a number of seconds, or has a unit', () => {
    for (const [text, ms] of Object.entries(known)) expect(parseDuration(text), text).toBe(ms);
  });

  test('is refused with a sentence where it is nothing, too long, or no duration', () => {
    const wrong = [
      '',
      '0',
      '0s',
      '-3',
      '25h',
      '86401',
      '3 days',
      '3M',
      '1h30m',
      'ms',
      '1e3',
      'NaN',
    ];
    for (const text of wrong)
      expect(() => parseDuration(text), text).toThrow(/such as 90 \(seconds/);
  });

  test('is the value of an option, and in its help', () => {
    const command = withTrialOptions(new Command('x'));
    expect(command.parse(['--deadline', '3m'], { from: 'user' }).opts()).toMatchObject({
      deadline: 180_000,
    });
    expect(command.helpInformation()).toMatch(/--deadline <duration> [^(]*\(default: \d+s\)/);
  });
});

test.describe('--probe', () => {
  test('adds probes by name, each once, to those that watch every trial', () => {
    expect(parse()).toEqual({ probes: true, probe: [] });
    expect(parse('--probe', 'trace,sched', '--probe', 'sched')).toEqual({
      probes: true,
      probe: ['trace', 'sched'],
    });
    expect(parse('--no-probes', '--probe', 'sched')).toEqual({ probes: false, probe: ['sched'] });
  });

  test('refuses an unknown probe, and offers the nearest name', () => {
    expect(() => parse('--probe', 'shed')).toThrow('There is no probe "shed".');
    expect(() => parse('--probe', ',')).toThrow('It must name something.');
  });

  test('is named by the command that repeats a run', () => {
    for (const args of [
      [],
      ['--no-probes'],
      ['--probe', 'sched,trace'],
      ['--no-probes', '--probe', 'sched'],
    ]) {
      const repeated = probeArguments(parse(...args)).flatMap((part) => part.split(' '));
      expect(parse(...repeated)).toEqual(parse(...args));
    }
  });
});
