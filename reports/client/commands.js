import { all, choiceForm, labelled, make } from './element.js';

/** Adds a button to each command. */
export function offerCopies() {
  for (const code of all('[data-copy]', HTMLElement)) {
    const button = make('button', { type: 'button' }, 'Copy');
    button.setAttribute('aria-label', 'Copy the command');
    button.addEventListener('click', () => void copy(code, button));
    code.parentElement?.after(button);
  }
}

/** @param {HTMLElement} code @param {HTMLButtonElement} button */
async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected: press Ctrl+C';
  }
}

const deviceOption = / --device (\S+)/;

/** @param {string} command */
function devicesIn(command) {
  return (deviceOption.exec(command)?.[1] ?? '').split(',').filter(Boolean);
}

/** Offers one device for the commands that repeat cases: so each case on each target has its command. */
export function offerDevices() {
  const cases = all('.repeat [data-copy]', HTMLElement).map((code) => ({
    code,
    whole: code.textContent ?? '',
  }));
  const devices = [...new Set(cases.flatMap(({ whole }) => devicesIn(whole)))];
  if (devices.length < 2) return;
  const device = make('select');
  device.append(
    new Option('all that were measured', ''),
    ...devices.map((one) => new Option(one, one)),
  );
  device.addEventListener('input', () => {
    for (const { code, whole } of cases) {
      const line = code.closest('tr');
      if (line === null) continue;
      line.hidden = device.value !== '' && !devicesIn(whole).includes(device.value);
      code.textContent =
        device.value === ''
          ? whole
          : whole.replace(deviceOption, () => ` --device ${device.value}`);
    }
  });
  const form = choiceForm('What the commands repeat');
  form.append(labelled('On the device', device));
  document.querySelector('.repeat summary')?.after(form);
}
