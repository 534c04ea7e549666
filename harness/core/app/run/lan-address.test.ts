import { test, expect } from '@playwright/test';
import type { NetworkInterfaceInfo } from 'node:os';
import { lanAddress, lanAddressTowards, listLanAddresses } from './lan-address.ts';

function an(address: string, family: 'IPv4' | 'IPv6', internal = false): NetworkInterfaceInfo {
  const rest = { address, internal, netmask: '', mac: '', cidr: null };
  return family === 'IPv4' ? { ...rest, family } : { ...rest, family, scopeid: 0 };
}

const interfaces = {
  lo: [an('127.0.0.1', 'IPv4', true)],
  wlan0: [an('fe80::1', 'IPv6'), an('192.168.1.7', 'IPv4')],
  eth0: [an('10.0.0.2', 'IPv4')],
};

test('takes the first address of a local network, or the requested one', () => {
  expect(lanAddress(true, interfaces)).toBe('192.168.1.7');
  expect(lanAddress('10.0.0.2', interfaces)).toBe('10.0.0.2');
});

test('a VPN, a container or a virtual machine comes after real networks', () => {
  const more = {
    tun0: [an('10.8.0.2', 'IPv4')],
    'vEthernet (WSL)': [an('172.29.0.1', 'IPv4')],
    docker0: [an('172.17.0.1', 'IPv4')],
    ...interfaces,
  };
  expect(lanAddress(true, more)).toBe('192.168.1.7');
  expect(lanAddress(true, { tun0: more.tun0 })).toBe('10.8.0.2');
  expect(lanAddress('10.8.0.2', more)).toBe('10.8.0.2');
});

test('the address towards a host is one of this machine', async () => {
  const [first] = listLanAddresses();
  test.skip(first === undefined, 'this machine has no network');
  expect(listLanAddresses()).toContain(await lanAddressTowards(first!));
  // No machine has this name.
  expect(await lanAddressTowards('nowhere.invalid')).toBe(first);
});

test('refuses an address of another machine or of the loopback', () => {
  for (const asked of ['8.8.8.8', '127.0.0.1', '0.0.0.0']) {
    expect(() => lanAddress(asked, interfaces)).toThrow(
      expect.objectContaining({
        code: 'bad-argument',
        message: expect.stringContaining(asked),
        next: expect.stringContaining('192.168.1.7, 10.0.0.2'),
      }),
    );
  }
  expect(() => lanAddress(true, { lo: interfaces.lo })).toThrow('no address in a local network');
});
