/** What `--device` calls all devices of the inventory, automatic or not; no device is called so. */
export const everyDevice = 'all';
