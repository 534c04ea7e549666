import { execa } from 'execa';

/** What Apache Otava says of series, or why it was not asked. */
export type OtavaAnswer =
  | {
      readonly kind: 'answered';
      readonly version: string;
      /** Of each series the indices at which it changed. */
      readonly changePoints: readonly (readonly number[])[];
    }
  | { readonly kind: 'not-there'; readonly because: string };

/** Exit code of a Python that has no Otava; any other failure is one. */
const notInstalled = 42;

/**
 * Reads series as JSON, and writes the indices of the change points that Otava finds in each, with
 * its own defaults (windows of 50 nights, p ≤ 0.001, any size). Of its two answers the first is the
 * final one; the other are candidates, which it calls weak.
 */
const program = `
import json, sys
from importlib.metadata import version
try:
    from otava.analysis import compute_change_points
except ImportError:
    sys.exit(${String(notInstalled)})
def indices(series):
    points, weak = compute_change_points(series)
    return [int(point.index) for point in points]
found = [indices(series) for series in json.load(sys.stdin)]
json.dump({"version": version("apache-otava"), "changePoints": found}, sys.stdout)
`;

/**
 * The change points that Apache Otava finds in each series, where it is installed for the Python
 * that OTAVA_PYTHON names (python3 otherwise).
 * @throws the program's own complaint, where Otava is there and fails.
 */
export async function askOtava(series: readonly (readonly number[])[]): Promise<OtavaAnswer> {
  const python = process.env['OTAVA_PYTHON'] ?? 'python3';
  const asked = await execa(python, ['-c', program], {
    input: JSON.stringify(series),
    reject: false,
    timeout: 600_000,
  });
  if (asked.code === 'ENOENT') return { kind: 'not-there', because: `there is no ${python}` };
  if (asked.exitCode === notInstalled) {
    return {
      kind: 'not-there',
      because: `${python} has no apache-otava (pip install apache-otava)`,
    };
  }
  if (asked.failed) throw new Error(`Apache Otava failed: ${asked.stderr.slice(-2_000)}`);
  const { version, changePoints } = JSON.parse(asked.stdout) as {
    version: string;
    changePoints: number[][];
  };
  return { kind: 'answered', version, changePoints };
}
