import { html, type Html } from '../../../reports/html/escape.ts';
import { type FarmPage, layOut, section, type Surroundings } from './farm-layout.ts';

/** The fields of the form. */
interface OrderForm {
  readonly command: string;
  readonly on: string;
  readonly night: boolean;
}

/** The form that submits a measurement; `refusal` says why the last one was not taken. */
export function orderPage(
  around: Surroundings,
  {
    hosts,
    order,
    refusal,
  }: {
    readonly hosts: readonly string[];
    readonly order: OrderForm;
    readonly refusal: string | null;
  },
): FarmPage {
  const { command, on, night } = order;
  const choices = [
    ['', 'the least busy host'],
    ['all', 'all hosts'],
    ...hosts.map((one) => [one, one]),
  ];
  return layOut(around, {
    title: 'Measure something',
    sections: [
      refusal !== null &&
        html`<div class="cautions" role="alert">
          <p><bdi>${refusal}</bdi></p>
        </div>`,
      html`<form class="order" method="post" action="/order">
        <label>
          Command
          <input
            name="command"
            required
            maxlength="5000"
            value="${command}"
            placeholder="compare old.html new.html"
            spellcheck="false"
            autocomplete="off"
          />
        </label>
        <label> On ${hostChoice(choices, on)} </label>
        <label>
          … or on hosts with
          <input
            name="with"
            maxlength="500"
            value="${choices.some(([value]) => value === on) ? '' : on}"
            placeholder="linux,cores&gt;=8"
            spellcheck="false"
            autocomplete="off"
          />
        </label>
        <label class="check">
          <input type="checkbox" name="night" value="1" ${night && html` checked`} /> let jobs of
          people go first
        </label>
        <button type="submit">Submit</button>
      </form>`,
      examples,
    ],
  });
}

const examples = section(
  'examples',
  'Examples',
  html`<pre><code>compare lit@2 lit@3 --page https://example.com/bench.html
compare chromium firefox --param n=18
run --suite quick
nightly</code></pre>
    <p>
      A comparison on all hosts ends once they have decided together. Files that a command names lie
      in the folder of the host’s worker.
    </p>`,
);

function hostChoice(choices: readonly (readonly string[])[], chosen: string): Html {
  return html`<select name="on">
    ${choices.map(
      ([value = '', text = '']) =>
        html`<option value="${value}" ${value === chosen && html` selected`}>${text}</option>`,
    )}
  </select>`;
}
