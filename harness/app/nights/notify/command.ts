import { randomBytes } from 'node:crypto';
import { farmMark, farmVariable } from '../../../session/farm-mark.ts';
import { ProcessTree } from '../../../session/process-tree.ts';
import { NotSent, type Channel } from './channel.ts';

const markVariable = 'CROSSFARM_NOTIFICATION';

/**
 * A command of the owner's, by the shell, with the facts as JSON on its standard input. It ends with
 * all that it has started, when it is done or when its time is up. What it prints is nobody's.
 */
export function commandChannel(command: string): Channel {
  return {
    name: 'command',
    async send({ subject, text, facts }, signal) {
      const { execa } = await import('execa');
      const mark = randomBytes(8).toString('hex');
      const tree = new ProcessTree({
        roots: [],
        mark: `${markVariable}=${mark}`,
        profile: null,
      });
      const child = execa(command, {
        shell: true,
        reject: false,
        input: `${JSON.stringify({ subject, text, ...facts })}\n`,
        stdout: 'ignore',
        stderr: 'ignore',
        env: { [markVariable]: mark, [farmVariable]: farmMark() },
      });
      const stop = (): void => void tree.end();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const { exitCode, isTerminated, signal: by } = await child;
        signal.throwIfAborted();
        if (isTerminated) throw new NotSent(`the command was ended by ${by ?? 'a signal'}`);
        if (exitCode !== 0) throw new NotSent(`the command ended with ${String(exitCode)}`);
      } finally {
        signal.removeEventListener('abort', stop);
        await tree.end();
      }
    },
  };
}
