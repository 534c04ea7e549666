import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { html } from '../../../reports/html/escape.ts';
import { type FarmPage, layOut, type Surroundings } from './farm-layout.ts';

/** The form for a person's token. */
export function loginPage(around: Surroundings, refusal: string | null): FarmPage {
  return layOut(around, {
    title: 'Who are you?',
    sections: [
      refusal !== null && html`<div class="cautions" role="alert"><p>${refusal}</p></div>`,
      html`<form class="order" method="post" action="/login">
          <label>
            Token
            <input
              name="token"
              type="password"
              required
              maxlength="200"
              autocomplete="current-password"
            />
          </label>
          <button type="submit">Log in</button>
        </form>
        <p class="soft">
          An administrator makes one: <code>${npxCrossfarm} queue tokens alice --role submit</code>
        </p>`,
    ],
  });
}

/** A page for what was asked wrongly, or could not be answered. */
export function refusalPage(around: Surroundings, title: string, next: string): FarmPage {
  return layOut(around, { title, sections: [html`<p><bdi>${next}</bdi></p>`] });
}
