import type { Phone } from '../driver.ts';
import { listRecipes } from './recipes.ts';

/** Lists the steps at a phone that no program can take or check; a computer needs no steps. */
export function listOwnerSteps(browser: string, phone: Phone | undefined): readonly string[] {
  if (phone === undefined) return [];
  return phone.platform === 'android' ? onAndroid : [...onIphone(browser, phone), ...always];
}

const always = ['Charge it, close other apps, and lay it where it stays cool.'];

const onAndroid = [
  'Switch on USB debugging and Stay awake: Settings, System, Developer options.',
  'Unlock it, and accept this computer when it asks.',
  'Switch its battery saver off.',
  ...always,
];

/** The first driver that is asked for decides: a server that lacks it takes the second one. */
function onIphone(browser: string, phone: Phone): readonly string[] {
  const [recipe] = listRecipes(browser, phone);
  const byAgent = [
    'On the Mac, once: sign WebDriverAgent as the guide of the XCUITest driver says.',
    'Switch on Developer Mode: Settings, Privacy & Security. It restarts.',
    'Switch on Enable UI Automation: Settings, Developer.',
    'Switch on Web Inspector: Settings, Apps, Safari, Advanced.',
  ];
  const bySafari = [
    'On the Mac, once: safaridriver --enable',
    'Switch on Web Inspector and Remote Automation: Settings, Apps, Safari, Advanced.',
  ];
  return [
    'Connect it to the Mac by cable, unlock it, and tap Trust.',
    ...(recipe?.driver === 'xcuitest' ? byAgent : bySafari),
    'Set Auto-Lock to Never: Settings, Display & Brightness. Switch Low Power Mode off.',
  ];
}
