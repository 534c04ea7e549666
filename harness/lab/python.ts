import { execa } from 'execa';

/** The answer of a Python library, or why it was not asked. */
type PythonAnswer<T> =
  | ({ readonly kind: 'answered'; readonly version: string } & T)
  | { readonly kind: 'not-there'; readonly because: string };

/** Exit code of a Python that lacks the library; any other failure is an error. */
const notInstalled = 42;

interface PythonLibrary {
  /** The environment variable that names the Python; python3 otherwise. */
  readonly variable: string;
  /** The package's name for pip. */
  readonly package: string;
  readonly imports: string;
  /** Defines `answer(series)`; its results are the list of the member `member`. */
  readonly program: string;
  readonly member: string;
}

type Series = readonly (readonly number[])[];

/** @throws the library's own complaint if it is installed and fails. */
async function askPython<T>(library: PythonLibrary, series: Series): Promise<PythonAnswer<T>> {
  const python = process.env[library.variable] ?? 'python3';
  const program = `
import json, math, sys
from importlib.metadata import version
try:
    ${library.imports}
except ImportError:
    sys.exit(${String(notInstalled)})
${library.program}
found = [answer(series) for series in json.load(sys.stdin)]
json.dump({"version": version("${library.package}"), "${library.member}": found}, sys.stdout)
`;
  const asked = await execa(python, ['-c', program], {
    input: JSON.stringify(series),
    reject: false,
    timeout: 600_000,
  });
  if (asked.code === 'ENOENT') return { kind: 'not-there', because: `there is no ${python}` };
  if (asked.exitCode === notInstalled) {
    const because = `${python} has no ${library.package} (pip install ${library.package})`;
    return { kind: 'not-there', because };
  }
  if (asked.failed) throw new Error(`${library.package} failed: ${asked.stderr.slice(-2_000)}`);
  return { kind: 'answered', ...(JSON.parse(asked.stdout) as T & { version: string }) };
}

/**
 * Apache Otava with its own defaults: windows of 50 nights, p ≤ 0.001, any size. Of its two answers
 * the first is the final one; the second holds candidates, which it calls weak.
 */
const otava: PythonLibrary = {
  variable: 'OTAVA_PYTHON',
  package: 'apache-otava',
  imports: 'from otava.analysis import compute_change_points',
  program: `
def answer(series):
    points, weak = compute_change_points(series)
    return [int(point.index) for point in points]`,
  member: 'changePoints',
};

/** Returns the indices at which each series changed, by Apache Otava. */
export function askOtava(
  series: Series,
): Promise<PythonAnswer<{ readonly changePoints: readonly (readonly number[])[] }>> {
  return askPython(otava, series);
}

/**
 * PELT with least squares on the logarithms of at most 200 medians of adjacent values. They are
 * clipped at three standard deviations around their running median, because ruptures takes a pause
 * of the machine for a level. The penalty is five times the noise's variance times ln n, with the
 * noise from the differences of adjacent values. Segments hold at least five points.
 */
const ruptures: PythonLibrary = {
  variable: 'RUPTURES_PYTHON',
  package: 'ruptures',
  imports: 'import numpy as np, ruptures',
  program: `
def answer(series):
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
    return float(math.exp(max(steps)) - 1) if steps else 0.0`,
  member: 'largestSteps',
};

/** Returns the largest change of speed in each series of iterations, as a share; 0 without one. */
export function askRuptures(
  series: Series,
): Promise<PythonAnswer<{ readonly largestSteps: readonly number[] }>> {
  return askPython(ruptures, series);
}
