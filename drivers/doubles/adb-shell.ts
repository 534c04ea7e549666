import { spawn } from 'node:child_process';
import type { AdbStream } from './adb-stream.ts';
import { encodeShell, shellKinds, ShellReader } from './adb-wire.ts';

export interface ShellSetting {
  /** The device's shell: a program that takes `-c`. */
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a command line as `adb shell` has it run: by protocol 2, with its exit code, or plainly. */
export function serveShell(
  stream: AdbStream,
  { command, version2 }: { readonly command: string; readonly version2: boolean },
  { shell, environment }: ShellSetting,
): void {
  const child = spawn(shell, ['-c', command], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group, all of which ends with the stream.
    detached: true,
  });
  const tell = (kind: number, data: Buffer): void => {
    stream.write(version2 ? encodeShell(kind, data) : data);
  };
  child.stdout.on('data', (data: Buffer) => {
    tell(shellKinds.stdout, data);
  });
  child.stderr.on('data', (data: Buffer) => {
    tell(shellKinds.stderr, data);
  });
  // The end of the program is reported anyway.
  child.stdin.on('error', () => undefined);
  child.on('close', (code) => {
    if (version2) tell(shellKinds.exit, Buffer.from([code ?? 1]));
    stream.end();
  });
  const reader = new ShellReader();
  stream.handler = {
    onData: (data) => {
      if (!version2) child.stdin.write(data);
      for (const packet of version2 ? reader.feed(data) : []) {
        if (packet.kind === shellKinds.stdin) child.stdin.write(packet.data);
        if (packet.kind === shellKinds.closeStdin) child.stdin.end();
      }
    },
    onClose: () => {
      endGroup(child.pid);
    },
  };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
