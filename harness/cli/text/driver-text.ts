import pc from 'picocolors';
import type { DriverVerdict } from '../../../reports/findings.ts';
import { driverFigures } from '../../../reports/sections/driver-bias.ts';
import { verdictText } from '../../../reports/wording/verdicts.ts';
import type { DriverComparison } from '../../app/compare/compare-drivers.ts';
import { plain } from '../../run/progress/terminal.ts';

interface Row {
  readonly driver: string;
  readonly headless: boolean;
  /** Device id of the same build without automation. */
  readonly against: string;
  readonly verdict: DriverVerdict['verdict'];
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly blocks: number;
}

/** The shape of `farm compare --drivers … --json`: a contract with other tools. */
export function driversJson(compared: DriverComparison, margin: number): object {
  const { device, found, missing, seed, command, run } = compared;
  const [first] = found;
  return {
    device,
    browser: first?.target.browser ?? null,
    executable: first?.target.executable ?? null,
    drivers: rowsOf(compared),
    missing: missing.map(({ device: one, reason, remedy }) => ({
      ...{ driver: one.driver, headless: one.headless, reason, remedy },
    })),
    ...{ margin, seed, command, run },
  };
}

function rowsOf({ entries, found }: DriverComparison): readonly Row[] {
  const devices = new Map(found.map(({ device }) => [device.id, device]));
  return entries.map(({ pair: { a, b }, decision }) => {
    const device = devices.get(a.deviceId);
    const facts = {
      driver: device?.driver ?? a.deviceId,
      headless: device?.headless ?? false,
      against: b.deviceId,
    };
    if (decision.kind !== 'decided-on') {
      return { ...facts, verdict: 'undecided', ratio: null, low: null, high: null, blocks: 0 };
    }
    const { verdict, ratio, low, high, blocks } = decision.decision;
    return { ...facts, verdict, ratio, low, high, blocks };
  });
}

/** The same as a table, with what was left out and how to repeat it. */
export function describeDrivers(compared: DriverComparison, margin: number): string {
  const { found, missing, seed, run, command } = compared;
  const browser = found[0]?.target.browser;
  const rows = rowsOf(compared);
  const width = Math.max(...rows.map(({ driver }) => driver.length));
  return [
    `${browser?.name ?? ''} ${browser?.version ?? ''}, one build under each driver, against the same without automation:`,
    ...rows.map((row) => `  ${row.driver.padEnd(width)}  ${figuresOf(row)}`),
    ...missing.map(({ device, reason }) =>
      pc.yellow(`  ${device.driver.padEnd(width)}  ${shownAs(device.headless)}  ${plain(reason)}`),
    ),
    pc.dim(`margin ± ${String(margin * 100)} %, seed ${String(seed)}, run ${String(run)}`),
    `again: ${command}`,
    `see it: npx farm report ${String(run)}`,
  ].join('\n');
}

/** As the report's column _Against no automation_ has it. */
function figuresOf({ headless, verdict, ratio, ...bounds }: Row): string {
  const figures = ratio === null ? 'no value' : driverFigures({ ratio, ...bounds });
  return `${shownAs(headless)}  ${pc.bold(verdictText(verdict))}  ${figures.replaceAll('\u00a0', ' ')}`;
}

function shownAs(headless: boolean): string {
  return headless ? 'headless' : 'headed  ';
}
