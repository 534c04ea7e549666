import { execa } from 'execa';

/**
 * Reads series as JSON, and writes the indices of the change points that Otava finds in each, with
 * its own defaults. Of its two answers, in versions that give two, the first is the final one.
 */
const program = `
import json, sys
from otava.analysis import compute_change_points
def indices(series):
    found = compute_change_points(series)
    points = found[0] if isinstance(found, tuple) else found
    return [point.index for point in points]
json.dump([indices(series) for series in json.load(sys.stdin)], sys.stdout)
`;

/**
 * The change points that Apache Otava finds in each series, where it is installed for the Python
 * that OTAVA_PYTHON names (python3 otherwise); null where it is not.
 */
export async function otavaChangePoints(
  series: readonly (readonly number[])[],
): Promise<readonly (readonly number[])[] | null> {
  const python = process.env['OTAVA_PYTHON'] ?? 'python3';
  const { stdout, failed } = await execa(python, ['-c', program], {
    input: JSON.stringify(series),
    reject: false,
    timeout: 600_000,
  });
  return failed ? null : (JSON.parse(stdout) as number[][]);
}
