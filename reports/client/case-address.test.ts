import { expect, test } from '@playwright/test';
import { linkCase } from './case-address.js';

test('the address of a case leads to it for any name', () => {
  for (const [name, query, address] of [
    ['fib n=12', '', '/cases/fib%20n%3D12'],
    ['fib n=12', 'run=2', '/cases/fib%20n%3D12?run=2'],
    ['page version=a/b?c', '', '/cases/page%20version%3Da/b%3Fc'],
    ['page version=a/../b', 'run=2', '/explore?case=page%20version%3Da%2F..%2Fb&run=2'],
    ['//example.org', '', '/explore?case=%2F%2Fexample.org'],
  ] as const) {
    expect(linkCase(name, query)).toBe(address);
  }
});
