import { html } from 'hono/html';
import { day } from './date.ts';
import type { Html } from './html.ts';
import { CHECK, CLOCK } from './icons.ts';
import type { ShownSubscription } from './view.ts';

/** What a cancellation means and when, before it is asked for. */
export function cancellationText({ status, currentPeriodEnd }: ShownSubscription, locale: string): Html {
  const end = day(currentPeriodEnd, locale);
  return html`<ul class="consequences">
    ${status === 'trialing' && html`<li>${CLOCK}<span>Your free trial goes on until ${end}, then it ends.</span></li>`}
    ${
      status === 'active' &&
      html`<li>${CLOCK}<span>You keep it until ${end}, the end of the current period, then it ends.</span></li>`
    }
    ${status !== 'trialing' && status !== 'active' && html`<li>${CLOCK}<span>It ends on ${end}.</span></li>`}
    ${status === 'trialing' && html`<li>${CHECK}<span>You will not be charged.</span></li>`}
    ${status === 'active' && html`<li>${CHECK}<span>You will not be charged again.</span></li>`}
    <li>${CHECK}<span>Until that day you can change your mind and resume it.</span></li>
  </ul>`;
}
