import type { AddressInfo } from 'node:net';
import { closeInTime, listen } from '../../http-server.ts';
import { createApp, type ApiOptions } from './app.ts';

export interface ExplorerServer {
  /** For example `http://127.0.0.1:8710`. */
  readonly origin: string;
  /** Ends every connection, those that listen for progress too. Takes two seconds at most. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** Serves the explorer and the API to this machine. @throws FarmError `port-in-use`, `bad-argument`. */
export async function startExplorer(options: ApiOptions, port: number): Promise<ExplorerServer> {
  const app = await createApp(options);
  await listen(app, { port, host });
  const { port: used } = app.server.address() as AddressInfo;
  return {
    origin: `http://${host}:${String(used)}`,
    close: () => closeInTime(app),
  };
}
