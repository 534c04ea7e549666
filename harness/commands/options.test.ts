import { expect, test } from '@playwright/test';
import { Command } from 'commander';
import { probeArguments, withProbes, type ProbeOptions } from './options.ts';

function parse(...args: readonly string[]): ProbeOptions {
  const command = withProbes(new Command('x')).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  return command.parse([...args], { from: 'user' }).opts<ProbeOptions>();
}

test.describe('--probe', () => {
  test('adds probes by name, each once, to those that watch every trial', () => {
    expect(parse()).toEqual({ probes: true, probe: [] });
    expect(parse('--probe', 'trace,sched', '--probe', 'sched')).toEqual({
      probes: true,
      probe: ['trace', 'sched'],
    });
    expect(parse('--no-probes', '--probe', 'sched')).toEqual({ probes: false, probe: ['sched'] });
  });

  test('refuses a probe that is not there, and offers the one that was meant', () => {
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
