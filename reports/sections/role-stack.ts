import type { CpuFacts, Findings } from '../../harness/core/results/index.ts';
import { roleClass } from '../html/cpu-chart.ts';
import { html, raw, type Html } from '../html/escape.ts';
import { formatQuantity } from '../html/number.ts';

interface Stack {
  /** Milliseconds of the whole width. */
  readonly most: number;
  readonly y: number;
  readonly thick: number;
  readonly label: string;
}

/** One bar of CPU time by role, as parts of a drawing's width. */
export function drawRoleStack(
  roles: readonly { readonly role: string; readonly cpuMs: number }[],
  { most, y, thick, label }: Stack,
): readonly Html[] {
  let x = 0;
  return roles.map(({ role, cpuMs }) => {
    const from = x;
    const width = (100 * cpuMs) / most;
    x += width;
    if (width < 0.2) return raw('');
    const words = `${label}: ${role} ${formatQuantity(cpuMs, { unit: 'ms', resolution: 0.1 })}`;
    return html`<rect
      class="${roleClass(role)}"
      x="${from.toFixed(2)}%"
      y="${y}"
      width="${width.toFixed(2)}%"
      height="${thick}"
      ><title>${words}</title></rect
    >`;
  });
}

/** The colours of the roles that a report has; false without any. */
export function roleLegend({ cpu }: Findings): Html | false {
  const roles = new Set(
    cpu.flatMap(({ threads }: CpuFacts) =>
      'roles' in threads ? threads.roles.map(({ role }) => role) : [],
    ),
  );
  if (roles.size === 0) return false;
  return html`<ul class="legend">
    ${[...roles].map((role) => html`<li><span class="t ${roleClass(role)}">${role}</span></li>`)}
  </ul>`;
}
