/** Does work as on another system, as far as `process.platform` says which one this is. */
export async function onPlatform<T>(
  platform: NodeJS.Platform,
  work: () => T | Promise<T>,
): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, 'platform');
  if (own === undefined) throw new TypeError('process has no platform');
  Object.defineProperty(process, 'platform', { ...own, value: platform });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'platform', own);
  }
}
