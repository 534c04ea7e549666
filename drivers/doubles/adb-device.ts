import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ReversePorts } from './adb-reverse.ts';
import { serveShell } from './adb-shell.ts';
import { AdbStream, type SendPacket } from './adb-stream.ts';
import { encodePacket, PacketReader, type Packet } from './adb-wire.ts';
import { layOutDevice, type DeviceFiles, type DeviceFacts } from './device-files.ts';

export interface AdbDeviceOptions extends DeviceFacts {
  /** An empty folder of the device's own. */
  readonly folder: string;
  /** False: its owner has not accepted this computer. */
  readonly authorised?: boolean;
  /** False: it knows the shell of Android 6 and before only. */
  readonly shell2?: boolean;
}

/**
 * A phone behind the real `adb`, for tests: it speaks the protocol of a device over TCP. Its shell
 * is this machine's, with doubles of Android's programs first on PATH; its loopback is an address
 * of this machine on which no other program listens, so it reaches pages only through `adb
 * reverse`.
 */
export interface AdbDevice {
  /** For `adb connect`, and its serial number: `127.0.0.1:41234`. */
  readonly serial: string;
  readonly files: DeviceFiles;
  /** Every command line that its shell was given. */
  readonly asked: readonly string[];
  /** Accepts "Allow USB debugging", as its owner does. */
  accept(): void;
  /** Pulls its cable; a later connection gets no answer. */
  goOffline(): void;
  close(): Promise<void>;
}

/** Starts the double of a phone. */
export async function startAdbDevice(options: AdbDeviceOptions): Promise<AdbDevice> {
  const files = await layOutDevice(options.folder, options);
  const asked: string[] = [];
  const state: DeviceState = {
    options,
    files,
    asked,
    authorised: options.authorised ?? true,
    offline: false,
    connections: new Set(),
  };
  const server = createServer((socket) => {
    const connection = new Connection(socket, state);
    state.connections.add(connection);
    socket.on('close', () => state.connections.delete(connection));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const serial = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    serial,
    files,
    asked,
    accept: () => {
      state.authorised = true;
      for (const connection of state.connections) connection.greet();
    },
    goOffline: () => {
      state.offline = true;
      for (const connection of state.connections) connection.end();
    },
    close: () => closeAll(server, state),
  };
}

interface DeviceState {
  readonly options: AdbDeviceOptions;
  readonly files: DeviceFiles;
  readonly asked: string[];
  readonly connections: Set<Connection>;
  authorised: boolean;
  offline: boolean;
}

async function closeAll(server: Server, { connections }: DeviceState): Promise<void> {
  for (const connection of connections) connection.end();
  await new Promise((resolve) => server.close(resolve));
}

const version = 0x01000001;
const mostPayload = 256 * 1024;
const authToken = 1;
const authPublicKey = 3;

/** One connection of adb's server. */
class Connection {
  readonly #socket: Socket;
  readonly #state: DeviceState;
  readonly #reader = new PacketReader();
  readonly #streams = new Map<number, AdbStream>();
  readonly #reverse: ReversePorts;
  #nextId = 1;

  constructor(socket: Socket, state: DeviceState) {
    this.#socket = socket;
    this.#state = state;
    this.#reverse = new ReversePorts({
      loopback: state.files.loopback,
      open: (destination) => this.#open(destination),
    });
    socket.on('data', (piece: Buffer) => {
      for (const packet of state.offline ? [] : this.#reader.feed(piece)) this.#take(packet);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#dropAll();
    });
  }

  greet(): void {
    const { name, model } = this.#state.options;
    const features = this.#state.options.shell2 === false ? 'cmd' : 'shell_v2,cmd';
    const properties = {
      'ro.product.name': name,
      'ro.product.model': model,
      'ro.product.device': name,
      features,
    };
    const list = Object.entries(properties).map(([key, value]) => `${key}=${value};`);
    this.#send('CNXN', [version, mostPayload], `device::${list.join('')}`);
  }

  end(): void {
    this.#socket.destroy();
  }

  #dropAll(): void {
    void this.#reverse.close();
    for (const stream of this.#streams.values()) stream.drop();
    this.#streams.clear();
  }

  readonly #send: SendPacket = (command, ids, payload) => {
    if (this.#socket.writable) this.#socket.write(encodePacket(command, ids, payload));
  };

  #take({ command, arg0, arg1, payload }: Packet): void {
    switch (command) {
      case 'CNXN':
      case 'AUTH':
        this.#authorise(command === 'AUTH' && arg0 === authPublicKey);
        return;
      case 'OPEN':
        this.#serve(arg0, payload.toString('utf8').replace(/\0$/, ''));
        return;
      case 'OKAY':
        this.#streams.get(arg1)?.ready(arg0);
        return;
      case 'WRTE':
        this.#streams.get(arg1)?.take(payload);
        return;
      case 'CLSE':
        this.#close(arg1);
        return;
      case null:
        return;
    }
  }

  /** Each key that is tried gets another token; the public key waits for the owner to accept it. */
  #authorise(isPublicKey: boolean): void {
    if (this.#state.authorised) this.greet();
    else if (!isPublicKey) this.#send('AUTH', [authToken, 0], randomBytes(20));
  }

  #close(localId: number): void {
    const stream = this.#streams.get(localId);
    this.#streams.delete(localId);
    if (stream === undefined || stream.closed) return;
    this.#send('CLSE', [stream.localId, stream.remoteId]);
    stream.drop();
  }

  #open(destination: string): AdbStream {
    const stream = this.#keep(0);
    this.#send('OPEN', [stream.localId, 0], `${destination}\0`);
    return stream;
  }

  #keep(remoteId: number): AdbStream {
    const stream = new AdbStream(this.#send, this.#nextId, remoteId);
    this.#streams.set(stream.localId, stream);
    this.#nextId += 1;
    return stream;
  }

  #serve(remoteId: number, service: string): void {
    const [, options, command] = /^shell(?:,([^:]*))?:(.*)$/s.exec(service) ?? [];
    const reverse = /^reverse:(.*)$/s.exec(service)?.[1];
    if (command === undefined && reverse === undefined) {
      this.#send('CLSE', [0, remoteId]);
      return;
    }
    const stream = this.#keep(remoteId);
    this.#send('OKAY', [stream.localId, remoteId]);
    if (reverse !== undefined) {
      void this.#reverse.answer(reverse).then((answer) => {
        stream.write(answer);
        stream.end();
      });
    } else if (command !== undefined) {
      this.#state.asked.push(command);
      const version2 = options?.split(',').includes('v2') ?? false;
      serveShell(stream, { command, version2 }, this.#state.files);
    }
  }
}
