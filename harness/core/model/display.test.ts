import { expect, test } from '@playwright/test';
import {
  describeDisplay,
  findDisplay,
  makeDisplayReading,
  nameRasteriser,
  otherDisplayReason,
} from './display.ts';
import { aDisplay } from '../../testing/builders.ts';

const named: readonly (readonly [string, string, string | null])[] = [
  [
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    ...(['software', 'SwiftShader'] as const),
  ],
  ['ANGLE (Mesa, llvmpipe (LLVM 15.0.6 256 bits), OpenGL 4.5)', 'software', 'llvmpipe'],
  ['llvmpipe, or similar', 'software', 'llvmpipe'],
  ['softpipe', 'software', 'softpipe'],
  ['Generic Software Rasterizer', 'software', null],
  [
    'ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) Direct3D11 vs_5_0 ps_5_0, D3D11)',
    ...(['software', 'Microsoft Basic Render Driver'] as const),
  ],
  [
    'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6 (Core Profile) Mesa 21.2.6)',
    ...(['GPU', 'Mesa Intel(R) UHD Graphics 620 (KBL GT2)'] as const),
  ],
  [
    'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504) Direct3D11 vs_5_0 ps_5_0, D3D11)',
    ...(['GPU', 'NVIDIA GeForce RTX 3060'] as const),
  ],
  [
    'ANGLE (Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version)',
    ...(['GPU', 'Apple M1'] as const),
  ],
  ['GeForce GTX 980, or similar', 'GPU', 'GeForce GTX 980'],
  ['NVIDIA GeForce GTX 1650/PCIe/SSE2', 'GPU', 'NVIDIA GeForce GTX 1650'],
  ['Apple GPU', 'GPU', 'Apple GPU'],
  ['\u202eevil\u0007', 'GPU', 'evil'],
  ['', 'GPU', null],
];

for (const [renderer, drawnBy, rasteriser] of named) {
  test(`names the rasteriser of ${JSON.stringify(renderer)}`, () => {
    expect(nameRasteriser(renderer)).toEqual({ drawnBy, rasteriser });
  });
}

test('a reading gives its display back, and one of another form none', () => {
  const display = aDisplay({ scale: 1.5 });
  const reading = makeDisplayReading(display);
  expect(findDisplay([reading])).toEqual(display);
  expect(describeDisplay(display)).toBe(
    'drawn by software (SwiftShader), headless, 1280 × 720 at scale 1.5',
  );
  expect(findDisplay([])).toBeNull();
  expect(findDisplay([{ probe: reading.probe, notSupported: 'no page' }])).toBeNull();
  const { drawnBy, ...rest } = reading.values;
  expect(findDisplay([{ ...reading, values: rest }])).toBeNull();
  const strange = { ...rest, drawnBy: { ...drawnBy!, value: '<b>' } };
  expect(findDisplay([{ ...reading, values: strange }])).toBeNull();
});

test('says what differs between two displays, the size of the window aside', () => {
  const before = aDisplay();
  expect(otherDisplayReason(before, aDisplay({ viewport: '800 × 600' }))).toBeNull();
  const now = aDisplay({ drawnBy: 'GPU', rasteriser: null, scale: 2 });
  expect(otherDisplayReason(before, now)).toBe(
    'its display is not that of the trials before: software (SwiftShader) → GPU, scale 1 → scale 2',
  );
});
