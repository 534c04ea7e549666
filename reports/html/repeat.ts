/**
 * A choice of one device for the commands that repeat cases, in plain JavaScript for the reader's
 * browser: so each case on each target has its command. `make` is that of `script.ts`, `labelled`
 * that of `controls.ts`.
 */
export const repeat = `
  const devicesIn = (command) => (/ --device (\\S+)/.exec(command)?.[1] ?? '').split(',').filter(Boolean);
  const cases = [...document.querySelectorAll('.repeat [data-copy]')].map((code) => ({ code, whole: code.textContent }));
  const devices = [...new Set(cases.flatMap(({ whole }) => devicesIn(whole)))];
  if (devices.length > 1) {
    const device = make('select', '');
    device.append(new Option('all that were measured', ''), ...devices.map((one) => new Option(one)));
    const label = labelled('On the device', device);
    device.addEventListener('input', () => {
      for (const { code, whole } of cases) {
        const isThere = device.value === '' || devicesIn(whole).includes(device.value);
        code.closest('tr').hidden = !isThere;
        code.textContent = device.value === '' ? whole : whole.replace(/ --device \\S+/, () => ' --device ' + device.value);
      }
    });
    const form = Object.assign(make('form', ''), { className: 'controls' });
    form.setAttribute('aria-label', 'What the commands repeat');
    form.addEventListener('submit', (event) => event.preventDefault());
    form.append(label);
    document.querySelector('.repeat summary').after(form);
  }
`;
