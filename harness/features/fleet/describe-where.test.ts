import { expect, test } from '@playwright/test';
import type { HostDecision } from '../../core/analysis/stats/pooled-hosts.ts';
import { decide } from '../../core/analysis/stats/verdict.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import { describeWhere } from './describe-where.ts';

function host(name: string, ratio: number): HostDecision {
  const differences = Array.from({ length: 40 }, (_, i) => Math.log(ratio) + (i % 2) / 1e4);
  return { host: name, decision: decide({ differences }, { better: 'lower', looks: 'last' }) };
}

test('says what sets the hosts with a difference apart from the others', () => {
  const machine = (logicalCores: number) => ({ ...describeMachine(), logicalCores });
  const machines = new Map([
    ['big', machine(16)],
    ['middle', machine(8)],
    ['small', machine(4)],
  ]);
  const [big, middle, small] = [host('big', 1.1), host('middle', 1.1), host('small', 1)];
  expect(describeWhere([big, middle, small], machines)).toEqual(['cores>=8']);
  expect(describeWhere([big, host('middle', 1), host('small', 1.1)], machines)).toEqual([]);
  expect(describeWhere([big, middle], machines)).toEqual([]);
});
