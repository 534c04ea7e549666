import { execa } from 'execa';

/** What ruptures says of windows, or why it was not asked. */
export type RupturesAnswer =
  | {
      readonly kind: 'answered';
      readonly version: string;
      /** Of each series the largest step between neighbouring segments, as a share; 0 without one. */
      readonly largestSteps: readonly number[];
    }
  | { readonly kind: 'not-there'; readonly because: string };

/** Exit code of a Python that has no ruptures; any other failure is one. */
const notInstalled = 42;

/**
 * Reads series as JSON. PELT with least squares on the logarithms of at most 200 medians of
 * neighbours, clipped at three standard deviations around their running median, because ruptures
 * takes a pause of the machine for a level; the penalty is five times the noise's variance times
 * ln n, with the noise from the differences of neighbours. Segments hold at least five points.
 */
const program = `
import json, math, sys
from importlib.metadata import version
try:
    import numpy as np, ruptures
except ImportError:
    sys.exit(${String(notInstalled)})
def largest_step(series):
    width = max(1, math.ceil(len(series) / 200))
    bins = np.array([np.log(max(np.median(series[i:i + width]), 1e-9)) for i in range(0, len(series), width)])
    if len(bins) < 12:
        return 0.0
    noise = max(0.002, 1.4826 * np.median(np.abs(np.diff(bins))) / math.sqrt(2))
    middle = np.array([np.median(bins[max(0, i - 3):i + 4]) for i in range(len(bins))])
    bins = np.clip(bins, middle - 3 * noise, middle + 3 * noise)
    ends = ruptures.Pelt(model="l2", min_size=5, jump=1).fit(bins.reshape(-1, 1)).predict(pen=5 * noise ** 2 * math.log(len(bins)))
    levels = [bins[a:b].mean() for a, b in zip([0] + ends[:-1], ends)]
    steps = [abs(b - a) for a, b in zip(levels, levels[1:])]
    return float(math.exp(max(steps)) - 1) if steps else 0.0
found = [largest_step(series) for series in json.load(sys.stdin)]
json.dump({"version": version("ruptures"), "largestSteps": found}, sys.stdout)
`;

/**
 * The largest change of speed that ruptures (PELT) finds in each series of iterations, where it is
 * installed for the Python that RUPTURES_PYTHON names (python3 otherwise).
 * @throws the program's own complaint, where ruptures is there and fails.
 */
export async function askRuptures(series: readonly (readonly number[])[]): Promise<RupturesAnswer> {
  const python = process.env['RUPTURES_PYTHON'] ?? 'python3';
  const asked = await execa(python, ['-c', program], {
    input: JSON.stringify(series),
    reject: false,
    timeout: 600_000,
  });
  if (asked.code === 'ENOENT') return { kind: 'not-there', because: `there is no ${python}` };
  if (asked.exitCode === notInstalled) {
    return { kind: 'not-there', because: `${python} has no ruptures (pip install ruptures)` };
  }
  if (asked.failed) throw new Error(`ruptures failed: ${asked.stderr.slice(-2_000)}`);
  const { version, largestSteps } = JSON.parse(asked.stdout) as {
    version: string;
    largestSteps: number[];
  };
  return { kind: 'answered', version, largestSteps };
}
