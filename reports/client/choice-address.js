/**
 * The reader's choices are a part of the report's address, so that a view can be sent and returned
 * to. Choices as they are at first are left out.
 */

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

/**
 * Sets the fields as the address has them, and keeps the address as they are from then on. A folded
 * section opens if the address has a choice for it.
 * @param {HTMLElement} form hears of each choice after it was made
 * @param {Readonly<Record<string, Field>>} fields by their names in the address
 * @returns {boolean} true if the address has changed any
 */
export function keepInAddress(form, fields) {
  const all = Object.entries(fields);
  const atFirst = new Map(all.map(([name, field]) => [name, valueOf(field)]));
  const query = new URLSearchParams(location.search);
  for (const [name, field] of all) setField(field, query.get(name) ?? '');
  form.addEventListener('input', () => {
    const now = new URLSearchParams(location.search);
    for (const [name, field] of all) {
      const value = valueOf(field);
      if (value === atFirst.get(name)) now.delete(name);
      else now.set(name, value);
    }
    const text = now.toString();
    const address = `${location.pathname}${text === '' ? '' : `?${text}`}${location.hash}`;
    // A page inside of another one may not change its address everywhere.
    try {
      history.replaceState(history.state, '', address);
    } catch {
      return;
    }
  });
  const isChanged = all.some(([name, field]) => valueOf(field) !== atFirst.get(name));
  const section = form.closest('details');
  if (isChanged && section !== null) section.open = true;
  return isChanged;
}

/** @param {Field} field */
function valueOf(field) {
  return isBox(field) ? (field.checked ? 'yes' : 'no') : field.value;
}

/** Sets a value that the field can have. @param {Field} field @param {string} value */
function setField(field, value) {
  if (value === '') return;
  if (isBox(field)) field.checked = value !== 'no';
  else if (field instanceof HTMLInputElement) field.value = value;
  else if ([...field.options].some((one) => one.value === value)) field.value = value;
}

/** @param {Field} field @returns {field is HTMLInputElement} */
function isBox(field) {
  return field instanceof HTMLInputElement && field.type === 'checkbox';
}
