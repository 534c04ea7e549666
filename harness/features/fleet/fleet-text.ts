import pc from 'picocolors';
import { drawTable } from '../../core/cli/text/draw-table.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { formatPercent, plural } from '../../../reports/html/number.ts';
import type { BatchAnswer } from './batch-answer.ts';
import type { FleetRow, FleetVerdict } from './fleet-verdict.ts';
import type { NightAgreement, SharedChange } from './night-agreement.ts';

/** The verdict over all hosts in a sentence: `new.html is slower than old.html on all 3 hosts`. */
export function describeRow(row: FleetRow): string {
  const { a, b, verdict, hosts, differ, where } = row;
  const all = hosts.length === 1 ? `on ${hosts[0]?.host ?? 'one host'} alone` : onAll(row);
  switch (verdict) {
    case 'faster':
    case 'slower':
      return `${a} is ${verdict} than ${b} ${all}`;
    case 'equivalent':
      return `${a} and ${b} are equivalent ${all}`;
    case 'undecided':
      if (!differ) return `undecided between ${a} and ${b} over ${plural(hosts.length, 'host')}`;
      return `hosts differ: ${describeGroups(row)}${where.length === 0 ? '' : ` (only where ${where.join(', ')})`}`;
  }
}

/** "on 3 of 3 hosts": those that say so alone; the others' intervals are still open. */
function onAll({ hosts, verdict, differ }: FleetRow): string {
  const alone = hosts.filter(({ decision }) => decision.verdict === verdict).length;
  const amounts = differ ? ', by different amounts' : '';
  if (alone === hosts.length) return `on all ${String(alone)} hosts${amounts}`;
  return `over ${plural(hosts.length, 'host')} together (${String(alone)} of them alone)${amounts}`;
}

function describeGroups({ hosts, a }: FleetRow): string {
  const groups = (['slower', 'faster', 'equivalent', 'undecided'] as const).flatMap((verdict) => {
    const names = hosts.filter(({ decision }) => decision.verdict === verdict);
    return names.length === 0 ? [] : [`${verdict} on ${names.map(({ host }) => host).join(', ')}`];
  });
  return `${a} is ${groups.join('; ')}`;
}

export function describeInterval({
  ratio,
  low,
  high,
}: Pick<Decision, 'ratio' | 'low' | 'high'>): string {
  const interval =
    low === null || high === null ? '' : ` (${low.toFixed(3)} to ${high.toFixed(3)})`;
  return `× ${ratio.toFixed(3)}${interval}`;
}

/** Draws the common answer of a submission's hosts for a terminal. */
export async function drawAnswer(answer: BatchAnswer, width: number): Promise<string> {
  return answer.kind === 'nights'
    ? describeNights(answer).map(plain).join('\n')
    : drawVerdict(answer.verdict, width);
}

async function drawVerdict({ rows, alpha }: FleetVerdict, width: number): Promise<string> {
  if (rows.length === 0) return 'No host has measured enough blocks yet.';
  const parts: string[] = [];
  for (const row of rows) {
    const { pooled, likeThese, hosts } = row;
    const lines = hosts.map(({ host, decision }) => [
      plain(host),
      decision.verdict,
      describeInterval(decision),
      String(decision.blocks),
    ]);
    const together = [
      pc.bold('all hosts'),
      pc.bold(row.verdict),
      describeInterval(pooled),
      String(pooled.blocks),
    ];
    const others =
      likeThese === null ? [] : [['hosts like these', '', describeInterval(likeThese), '']];
    const table = await drawTable(
      {
        head: ['host', 'verdict', `${plain(row.a)} ÷ ${plain(row.b)}`, 'blocks'],
        rows: [...lines, together, ...others],
        align: ['left', 'left', 'left', 'right'],
      },
      width,
    );
    parts.push(`${plain(row.title)}: ${pc.bold(plain(describeRow(row)))}\n${table}`);
  }
  return [...parts, `${formatPercent(1 - alpha, 0)} intervals, valid whenever you look.`].join(
    '\n',
  );
}

/** Sentences about the nights of several hosts. */
export function describeNights({ hosts, changes, unusable }: NightAgreement): readonly string[] {
  const lost = unusable.map(({ host, headline }) => `${host}: ${headline}`);
  if (changes.length > 0) {
    return [...changes.map((change) => describeChange(change, hosts)), ...lost];
  }
  if (hosts > 0) return [`Nothing changed on ${plural(hosts, 'machine')}.`, ...lost];
  return lost.length > 0 ? lost : ['No host has ended its night yet.'];
}

/** `fib in chromium went up on 3 of 3 machines`. */
function describeChange(change: SharedChange, hosts: number): string {
  const { title, direction, confirmedOn, suspectedOn } = change;
  const count = confirmedOn.length + suspectedOn.length;
  const names = [
    ...confirmedOn.map((host) => `${host}: confirmed`),
    ...suspectedOn.map((host) => `${host}: suspected`),
  ];
  return `${title} went ${direction} on ${String(count)} of ${String(hosts)} machines (${names.join(', ')})`;
}

/** The same for `--json`. */
export function answerJson(answer: BatchAnswer): object {
  if (answer.kind === 'nights') {
    const { hosts, changes, unusable } = answer;
    return { hosts, changes, unusable };
  }
  const { rows, margin, alpha, hosts } = answer.verdict;
  return {
    margin,
    alpha,
    hosts: hosts.map(({ host, machine: { logicalCores, memoryBytes, system, cpuModel } }) => ({
      host,
      logicalCores,
      memoryBytes,
      system,
      cpuModel,
    })),
    comparisons: rows.map((row) => {
      const { title, metric, unit, a, b, verdict, differ, outlier, where, likeThese } = row;
      return {
        title,
        metric,
        unit,
        a,
        b,
        verdict,
        ...numbers(row.pooled),
        differ,
        outlier,
        where,
        likeThese,
        hosts: row.hosts.map(({ host, decision }) => ({
          host,
          verdict: decision.verdict,
          ...numbers(decision),
        })),
      };
    }),
  };
}

function numbers({ ratio, low, high, blocks, logEValue }: Decision): object {
  return { ratio, low, high, blocks, logEValue };
}
