import { execa } from 'execa';

/** A display without a screen, for a double that shows pages in a window. */
export interface VirtualDisplay {
  /** For DISPLAY. */
  readonly name: string;
  end(): Promise<unknown>;
}

/** @param xvfb path of Xvfb, which takes the first number that is free. */
export async function startDisplay(xvfb: string): Promise<VirtualDisplay> {
  const started = execa(xvfb, ['-displayfd', '3', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    reject: false,
    buffer: false,
  });
  const number = await new Promise((resolve) => started.stdio[3].once('data', resolve));
  return {
    name: `:${String(number).trim()}`,
    end: () => {
      started.kill();
      return started;
    },
  };
}
