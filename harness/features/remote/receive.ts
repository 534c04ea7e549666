import { attendDefaults } from '../../core/app/defaults.ts';
import { pickTls, type TlsOptions } from '../../core/app/tls/certificate.ts';
import type { Io } from '../../core/cli/io.ts';
import { concludeRun } from '../../core/cli/run-output.ts';
import { FarmError } from '../../core/errors.ts';
import { attend, type AttendOptions } from './attend.ts';
import { invitingCaller } from './attend-output.ts';

interface ReceiveOptions extends Pick<
  AttendOptions,
  'database' | 'lan' | 'pages' | 'suite' | 'visitors' | keyof TlsOptions
> {
  readonly json: boolean;
}

/**
 * Lets devices join, each by a code and with a separate run, until Ctrl-C. A device sees the pages
 * that it measures, and nothing else.
 * @param door takes the address where the current code is shown.
 */
export async function receive(
  { json, lan = true, suite, visitors, ...options }: ReceiveOptions,
  io: Io,
  door: { screen: string | null },
): Promise<void> {
  const { database, pages } = options;
  const asked = {
    ...attendDefaults,
    database,
    lan,
    pages,
    ...pickTls(options),
    ...(suite !== undefined && { suite }),
    ...(visitors !== undefined && { visitors }),
  };
  while (!io.signal.aborted) {
    try {
      const result = await attend(asked, {
        ...invitingCaller(json, io),
        onScreen: (screen) => {
          door.screen = screen;
        },
      });
      concludeRun(result, { json }, io);
    } catch (error) {
      // No device came while the code was valid: it is replaced.
      if (!(error instanceof FarmError) || error.code !== 'no-device') throw error;
    }
  }
}
