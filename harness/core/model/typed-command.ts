/**
 * How a user types a command of the farm, wherever one is printed. The bin is also called `farm`, but npx
 * would fetch another’s package of that name where crossfarm is not installed.
 */
export const npxCrossfarm = 'npx crossfarm';

/**
 * True for the stored command of a comparison of devices on a page of one's own. Where the page lay
 * is not stored, so that such a run cannot be continued.
 */
export function isOnOwnPage(command: string): boolean {
  return command.includes(' --page ');
}

/**
 * True for a run that can get more blocks of what is undecided: of two sides, or of benchmarks on
 * devices. Pages of one's own are not stored with it.
 */
export function canGetBlocks(run: { readonly suite: string; readonly command: string }): boolean {
  if (run.suite === 'compare') return !isOnOwnPage(run.command);
  return /^(?:npx )?(?:farm|crossfarm) run --(?!from\b)(?!.* --from\b)/.test(run.command);
}
