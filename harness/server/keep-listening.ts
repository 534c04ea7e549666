import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server that loses its place although nobody ended it takes the same place again: the pages that
 * are open know no other. Connections that were lost with it are the loss of the trials they served.
 */
export function keepListening(server: Server, ended: AbortSignal): void {
  const { address, port } = server.address() as AddressInfo;
  server.on('close', () => {
    if (!ended.aborted) server.listen(port, address);
  });
}
