import type { CommandName } from './adb-wire.ts';

export type SendPacket = (
  command: CommandName,
  ids: readonly [number, number],
  payload?: Buffer | string,
) => void;

/** Listeners of a service on one stream. */
export interface StreamHandler {
  readonly onData: (data: Buffer) => void;
  /** The other side closed it, or the connection is gone. */
  readonly onClose: () => void;
}

const mostBytes = 64 * 1024;

/** One stream of a connection: each message waits for the answer to the one before. */
export class AdbStream {
  readonly localId: number;
  /** 0 until the other side has taken it. */
  remoteId: number;
  handler: StreamHandler = { onData: () => undefined, onClose: () => undefined };
  readonly #send: SendPacket;
  readonly #queue: Buffer[] = [];
  #mayWrite: boolean;
  #closeWhenSent = false;
  #closed = false;

  constructor(send: SendPacket, localId: number, remoteId: number) {
    this.#send = send;
    this.localId = localId;
    this.remoteId = remoteId;
    this.#mayWrite = remoteId !== 0;
  }

  write(data: Buffer | string): void {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    for (let from = 0; from < bytes.length; from += mostBytes) {
      this.#queue.push(bytes.subarray(from, from + mostBytes));
    }
    this.#flush();
  }

  /** Closes it when everything written is taken. */
  end(): void {
    this.#closeWhenSent = true;
    this.#flush();
  }

  /** The other side is ready for the next message. */
  ready(remoteId: number): void {
    this.remoteId = remoteId;
    this.#mayWrite = true;
    this.#flush();
  }

  take(data: Buffer): void {
    this.handler.onData(data);
    this.#send('OKAY', [this.localId, this.remoteId]);
  }

  /** The other side is gone. */
  drop(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.handler.onClose();
  }

  get closed(): boolean {
    return this.#closed;
  }

  #flush(): void {
    if (this.#closed || !this.#mayWrite) return;
    const next = this.#queue.shift();
    if (next !== undefined) {
      this.#mayWrite = false;
      this.#send('WRTE', [this.localId, this.remoteId], next);
    } else if (this.#closeWhenSent) {
      this.#closed = true;
      this.#send('CLSE', [this.localId, this.remoteId]);
    }
  }
}
