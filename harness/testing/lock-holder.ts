/** A separate process that holds a lock of the machine until it is killed. */
import { HostLock } from '../core/app/run/host-lock.ts';

// Listened to, it keeps the process: the lock alone does not.
process.on('message', () => undefined);
const never = new AbortController().signal;
const options = { signal: never, say: () => undefined };
await new HostLock(process.argv[2]).hold(options, () => {
  process.send?.('held');
  return new Promise(() => undefined);
});
