import { expect, test } from '@playwright/test';
import { parseState } from './dumpsys.ts';

/** The form of Android 14, shortened. */
const recent = `Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  status: 2
  level: 87
  scale: 100
  voltage: 4123
  temperature: 283
  mWakefulness=Awake
Display Power: state=ON
WINDOW MANAGER POLICY STATE (dumpsys window policy)
    KeyguardServiceDelegate
      showing=false
      inputRestricted=false
      secure=true
Thermal Status: 0
`;

test('a phone that is awake, unlocked, charged and cool', () => {
  expect(parseState(recent)).toEqual({
    awake: true,
    locked: false,
    batteryPercent: 87,
    powered: true,
    batteryCelsius: 28.3,
    thermalStatus: 0,
  });
});

test('a phone that is dark, locked, on battery and hot', () => {
  const text = recent
    .replace('Awake', 'Dozing')
    .replace('showing=false', 'showing=true')
    .replace('USB powered: true', 'USB powered: false')
    .replace('level: 87', 'level: 12')
    .replace('temperature: 283', 'temperature: 441')
    .replace('Thermal Status: 0', 'Thermal Status: 3');
  expect(parseState(text)).toEqual({
    awake: false,
    locked: true,
    batteryPercent: 12,
    powered: false,
    batteryCelsius: 44.1,
    thermalStatus: 3,
  });
});

test('parses older lock screens and lines that end as on terminals', () => {
  expect(parseState('  mIsShowing=true\r\n').locked).toBe(true);
  expect(parseState('mShowingLockscreen=false mX').locked).toBe(false);
  expect(parseState(recent.replaceAll('\n', '\r\n')).batteryPercent).toBe(87);
});

test('values that a phone does not give are null', () => {
  expect(parseState("Can't find service: thermalservice\n")).toEqual({
    awake: null,
    locked: null,
    batteryPercent: null,
    powered: null,
    batteryCelsius: null,
    thermalStatus: null,
  });
});
