/**
 * How a user types a command of the farm, wherever one is printed. The bin is also called `farm`, but npx
 * would fetch another’s package of that name where crossfarm is not installed.
 */
export const npxCrossfarm = 'npx crossfarm';
