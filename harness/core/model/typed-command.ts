/**
 * How a user types a command of the farm, wherever one is printed. The bin is also called `farm`, but npx
 * would fetch another’s package of that name where crossfarm is not installed.
 */
export const npxCrossfarm = 'npx crossfarm';

/** True for the stored command of a comparison of devices on a page of one's own. */
export function isOnOwnPage(command: string): boolean {
  return command.includes(' --page ');
}

/**
 * True for a run that can get more blocks of what is undecided: of two sides, of versions of a page, or
 * of pages on devices. Copies of well-known suites are not stored with it.
 */
export function canGetBlocks(run: { readonly suite: string; readonly command: string }): boolean {
  if (run.suite === 'compare') return true;
  const [, verb = '', options = ''] =
    /^(?:npx )?(?:farm|crossfarm) (compare|run) (.*)/s.exec(run.command) ?? [];
  if (run.suite === 'versions') return verb === 'compare';
  return verb === 'run' && !/(^| )--from\b/.test(options);
}
