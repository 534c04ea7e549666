import type { Device, Target } from '../model/device.ts';
import { findOnPath } from './executable.ts';
import { driverServers } from './products.ts';

/** Why a device cannot be used, and what to do about it. */
export interface Absence {
  readonly reason: string;
  readonly remedy: string;
}

/** Where what a device needs lies. */
export interface Places extends Pick<Target, 'executable' | 'server' | 'node'> {
  /** Of a browser that is not here: its version, where it could be asked for. */
  readonly version?: string;
}

/** The program that stands between a browser of this machine and WebDriver. */
export function findDriverServer(device: Device): { readonly server: string } | Absence {
  const server = driverServers[device.browser];
  if (server === undefined) {
    return {
      reason: `no driver server is known for ${device.browser}`,
      remedy: 'use another driver',
    };
  }
  const path = findOnPath([server.name]);
  if (path !== null) return { server: path };
  return { reason: `its driver server ${server.name} is not installed`, remedy: server.remedy };
}
