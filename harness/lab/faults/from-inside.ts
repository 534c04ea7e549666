/**
 * Loaded into a farm before anything else, for faults that are not possible from outside.
 *
 * - SIGUSR2 sets its clock forward or back by up to a day, as a time server or a person does. Only
 *   the wall clock jumps; the monotonic one (`performance.now`) does not, as on a real machine.
 * - SIGWINCH closes all its servers with every connection.
 */
import { Server } from 'node:http';

const RealDate = Date;
let offsetMs = 0;

class JumpingDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

globalThis.Date = JumpingDate as DateConstructor;

process.on('SIGUSR2', () => {
  offsetMs = Math.round((Math.random() - 0.5) * 2 * 86_400_000);
});

const listening = new Set<Server>();
type Emit = (this: Server, event: string | symbol, ...given: unknown[]) => boolean;
const emit = Reflect.get(Server.prototype, 'emit') as Emit;
Server.prototype.emit = function (this: Server, event: string | symbol, ...given: unknown[]) {
  if (event === 'listening') listening.add(this);
  if (event === 'close') listening.delete(this);
  return emit.call(this, event, ...given);
};

process.on('SIGWINCH', () => {
  for (const server of listening) {
    server.close();
    server.closeAllConnections();
  }
});
