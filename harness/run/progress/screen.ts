import { createLogUpdate } from 'log-update';
import type { ProgressScreen } from './terminal.ts';

/** A screen on a stream: with a status line that is written over, or plain lines only. */
export function openScreen(stream: NodeJS.WriteStream, live: boolean): ProgressScreen {
  if (!live) {
    return {
      line: (text) => {
        stream.write(`${text}\n`);
      },
      status: () => undefined,
      done: () => undefined,
    };
  }
  const update = createLogUpdate(stream);
  return {
    columns: stream.columns,
    line(text) {
      update.clear();
      stream.write(`${text}\n`);
    },
    status: (text) => {
      update(text);
    },
    done: () => {
      update.clear();
    },
  };
}
