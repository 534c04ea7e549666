/**
 * What a reader can change in the comparison table, in plain JavaScript for their browser: which
 * cases, metrics and targets are shown, what the ratios are set against, and the axes, which the
 * charts follow. Verdicts hold against the stated baseline alone; against another target there is a
 * ratio with the interval of one look, and it says so. `make` is that of `script.ts`, `against` that
 * of `shift.ts`, `axes` and `setAxes` those of `two-axes.ts`.
 */
export const controls = `
  const visible = (text) => text.replace(/[^\\P{C}\\n]/gu, '');
  const number = (value) => Number(value.toPrecision(3)).toString();
  const choices = (label, options) => {
    const select = make('select', '');
    for (const [value, text] of options) select.append(new Option(text, value));
    return [labelled(label, select), select];
  };
  const labelled = (text, control) => {
    const label = make('label', text + ' ');
    label.append(control);
    return label;
  };
  const tick = (text) => {
    const box = Object.assign(make('input', ''), { type: 'checkbox', checked: true });
    const label = make('label', '');
    label.append(box, make('bdi', text));
    return [label, box];
  };
  const tableOf = (findings) => findings.rows.flatMap((row, index) => {
    const body = document.getElementById('row-' + (index + 1));
    if (body === null) return [];
    const lines = [...body.rows].slice(1).map((line, place) => ({
      line, cell: row.cells[place], relation: line.cells[2], said: [...(line.cells[2]?.childNodes ?? [])],
    }));
    const ends = body.querySelector('[data-axis]');
    return [{ body, row, lines, ends, span: ends?.textContent, text: body.rows[0].textContent.toLowerCase() }];
  });
  const pixel = (axis, value) => {
    const share = axis.logarithmic
      ? Math.log(value / axis.from) / Math.log(axis.to / axis.from)
      : (value - axis.from) / (axis.to - axis.from);
    return Math.round(4 + Math.min(1, Math.max(0, share)) * 232);
  };
  const axisOver = (values, linear) => {
    const least = Math.min(...values);
    const most = Math.max(...values);
    if (linear) return { from: Math.min(0, least), to: most > 0 ? most : 1, logarithmic: false };
    if (least <= 0) return { from: least, to: most > least ? most : least + 1, logarithmic: false };
    const widen = Math.sqrt(Math.max(1, 1.1 / (most / least)));
    return { from: least / widen, to: most * widen, logarithmic: true };
  };
  const redraw = (svg, cell, axis) => {
    const low = pixel(axis, cell.low);
    const width = Math.max(1, pixel(axis, cell.high) - low);
    const [band, middle, trials, rings] = svg.children;
    band.setAttribute('d', 'M' + low + ' 0h' + width + 'v18H' + low + 'z');
    middle.setAttribute('d', 'M' + pixel(axis, cell.median) + ' 0v18');
    const dots = cell.values.map((value, i) => 'M' + pixel(axis, value) + ' ' + (4 + (i % 3) * 5) + 'z');
    trials.setAttribute('d', cell.fromQuarantined ? '' : dots.join(''));
    const circles = (cell.quarantined ?? []).map((value, i) =>
      'M' + (pixel(axis, value) - 2) + ' ' + (4 + (i % 3) * 5) + 'a2 2 0 1 0 4 0a2 2 0 1 0-4 0');
    rings?.setAttribute('d', circles.join(''));
  };
  const relate = ({ cell, relation, said }, other, wanted) => {
    if (relation === undefined || cell.kind !== 'measured') return;
    if (other === null) return relation.replaceChildren(...said);
    if (other === undefined || other.kind !== 'measured') return relation.replaceChildren('—');
    if (other === cell) return relation.replaceChildren(make('span', 'compared with'));
    const { ratio, note } = against(cell, other, wanted);
    relation.replaceChildren(make('b', ratio), make('small', note));
  };
  const offer = (findings) => {
    const heading = document.getElementById('comparison');
    const table = tableOf(findings);
    if (heading === null || table.length === 0) return;
    const form = Object.assign(make('form', ''), { className: 'controls' });
    form.setAttribute('aria-label', 'What the comparison shows');
    const search = Object.assign(make('input', ''), { type: 'search', placeholder: 'part of a name' });
    // As the page shows them: in the data a name may hold what cannot be seen.
    const names = new Map(table.flatMap(({ lines }) => lines.map(({ line, cell }) =>
      [cell.targetId, line.cells[0].querySelector('bdi').textContent])));
    const called = [...names];
    const metrics = [...new Set(findings.rows.map(({ metric }) => metric))];
    const { baselineTargetId, baselineRun, alpha } = findings.verdicts;
    const stated = baselineTargetId ?? '';
    const itself = baselineRun === undefined ? [] : [['', 'itself in run ' + baselineRun + ' (verdicts)']];
    const [metricLabel, metric] = choices('Metric', [['', 'all'], ...metrics.map((one) => [one, visible(one)])]);
    const [baseLabel, base] = choices('Compare with', [...itself, ...called.map(([id, name]) =>
      id === stated ? [id, name + ' (verdicts)'] : [id, name])]);
    const [axisLabel, axis] = choices('Axes', [['log', 'logarithmic'], ['linear', 'linear']]);
    const targets = make('fieldset', '');
    targets.append(make('legend', 'Targets'));
    const shown = new Map(called.map(([id, name]) => {
      const [label, box] = tick(name);
      targets.append(label);
      return [id, box];
    }));
    const count = make('output', '');
    base.value = stated;
    form.append(labelled('Cases with', search), metrics.length > 1 ? metricLabel : '', baseLabel, axisLabel, targets, count);
    const apply = () => {
      const wanted = search.value.trim().toLowerCase();
      let cases = 0;
      for (const { body, row, lines, ends, span, text } of table) {
        body.hidden = !text.includes(wanted) || (metric.value !== '' && metric.value !== row.metric);
        if (!body.hidden) cases += 1;
        const seen = lines.filter(({ line, cell }) => !(line.hidden = shown.get(cell.targetId)?.checked === false));
        const drawn = seen.filter(({ cell }) => cell.kind === 'measured');
        const values = drawn.flatMap(({ cell }) => [...cell.values, ...(cell.quarantined ?? []), cell.low, cell.high]);
        const other = base.value === stated ? null : row.cells.find(({ targetId }) => targetId === base.value);
        for (const one of lines) relate(one, other, 1 - alpha);
        if (values.length === 0) continue;
        const over = axisOver(values, axis.value === 'linear');
        for (const { line, cell } of drawn) {
          const svg = line.querySelector('svg.s');
          if (svg !== null) redraw(svg, cell, over);
        }
        const asDrawn = axis.value === 'log' && seen.length === lines.length;
        if (ends) ends.textContent = asDrawn ? span : number(over.from) + ' to ' + number(over.to) + ' ' + visible(row.unit);
      }
      for (const head of document.querySelectorAll('[data-baseline]')) {
        head.textContent = base.value === stated ? head.dataset.baseline : names.get(base.value) ?? base.value;
      }
      count.textContent = cases === table.length ? '' : cases + ' of ' + table.length + ' cases';
    };
    form.addEventListener('input', ({ target }) => target === axis ? setAxes(axis.value === 'linear') : apply());
    axes.followers.push((linear) => {
      axis.value = linear ? 'linear' : 'log';
      apply();
    });
    form.addEventListener('submit', (event) => event.preventDefault());
    heading.after(form);
    if (axes.linear) setAxes(true);
  };
`;
