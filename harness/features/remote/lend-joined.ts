import type { Driver } from '../../../drivers/driver.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { attendDefaults } from '../../core/app/defaults.ts';
import type { RunOrder } from '../../core/app/run/execute-plan.ts';
import { pickTls, type TlsOptions } from '../../core/app/tls/certificate.ts';
import type { Io } from '../../core/cli/io.ts';
import type { FoundDevice } from '../../core/model/device.ts';
import { type DoorOptions, joinedLimits, withJoined, withProgress } from './attend.ts';
import { invitingCaller } from './attend-output.ts';
import { attendedDevices } from './attended-devices.ts';

/** A device that has joined, with what reaches it. */
interface LentDevice {
  readonly presence: FoundDevice;
  readonly driver: Driver;
  readonly lent: NonNullable<RunOrder['lent']>;
  readonly caller: MeasuringCaller;
}

/** Pages that are shown before a run says how many. */
const pages = 2;

/** Shows a code, waits for one device, and lends it to what another feature does with it. */
export function lendJoined(
  { lan, ...asked }: Pick<DoorOptions, 'lan'> & TlsOptions,
  io: Io,
): <T>(use: (device: LentDevice) => Promise<T>) => Promise<T> {
  const options = { ...attendDefaults, ...pickTls(asked), ...(lan !== undefined && { lan }) };
  // To the person at the terminal, also where the answer is JSON.
  const caller = invitingCaller(false, io);
  return (use) =>
    withJoined(options, caller, {
      use: async ({ registry, server, clients }) => {
        const { presences, driverOf } = attendedDevices(clients, registry);
        const [presence] = presences;
        if (presence?.status !== 'found') throw new TypeError('no device has joined');
        const driver = await driverOf(presence.target);
        registry.progress = { done: 0, planned: pages };
        return use({
          presence,
          driver,
          // Under any name: the device is measured against itself.
          lent: { server, driverOf: () => Promise.resolve(driver), limits: joinedLimits(options) },
          caller: { ...caller, listener: withProgress(caller.listener ?? {}, registry) },
        });
      },
    });
}
