import { html } from 'hono/html';
import { pauseLengths } from '#domain/pause.ts';
import type { PortalLinks } from '#domain/portal-links.ts';
import type { PreviewedResume } from '#operations/pause-subscription.ts';
import { amounts } from './amounts.ts';
import type { Html } from './html.ts';
import { CHECK } from './icons.ts';
import type { MessageKey } from './messages/messages.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';
import { productName } from './subscription-label.ts';
import type { Texts } from './texts.ts';

/** Returns the link to the page on which a customer pauses a subscription. */
export const pauseAction = (subscription: ShownSubscription, { links, texts }: PortalView): Html =>
  html`<a class="button quiet" href="${links.pause(subscription.id)}"
    >${texts.html('pause', { name: productName(subscription, texts) })}</a
  >`;

/** Returns what ends a pause: at once where nothing is charged then, else by the page with the amounts. */
export function endPauseAction(subscription: ShownSubscription, { links, texts }: PortalView): Html {
  const { id, status } = subscription;
  const text = texts.html('endPause', { name: productName(subscription, texts) });
  if (status === 'paused') return html`<a class="button" href="${links.endPause(id)}">${text}</a>`;
  return html`<form method="post" action="${links.endPause(id)}"><button>${text}</button></form>`;
}

interface PauseView {
  readonly subscription: ShownSubscription;
  readonly links: PortalLinks;
  readonly texts: Texts;
  /** Names one confirmation: two clicks are one pause, or one end of it. */
  readonly key: string;
}

/** Returns the page on which a customer chooses how long a subscription is paused. */
export function pauseContent({
  subscription,
  links,
  texts,
  key,
  maxDays,
}: PauseView & { maxDays: number | null }): Html {
  const { id } = subscription;
  const days = new Intl.NumberFormat(texts.locale, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  return html`<div class="card">
    <h1>${texts.html('pauseThis', { name: productName(subscription, texts) })}</h1>
    <ul class="consequences">
      <li>${CHECK}<span>${texts.text('notChargedPaused')}</span></li>
      <li>${CHECK}<span>${texts.text('canEndPause')}</span></li>
    </ul>
    <form method="post" action="${links.pause(id)}" class="stack">
      <input type="hidden" name="key" value="${key}" />
      <p class="field">
        <label for="days">${texts.text('pauseLength')}</label>
        <select id="days" name="days">
          ${pauseLengths(maxDays).map(
            length =>
              html`<option value="${length ?? ''}" ${length === maxDays && html`selected`}>
                ${length === null ? texts.text('untilResumed') : days.format(length)}
              </option>`,
          )}
        </select>
      </p>
      <div class="actions">
        <button>${texts.text('pauseSubscription')}</button>
        <a class="button quiet" href="${links.tab('subscriptions')}">${texts.text('goBack')}</a>
      </div>
    </form>
  </div>`;
}

/** Returns the page with the exact amounts of resuming a subscription, which the customer confirms. */
export function resumeReview({
  subscription,
  preview,
  problem,
  links,
  texts,
  key,
}: PauseView & PreviewedResume & { readonly problem?: MessageKey | undefined }): Html {
  const fields = { expectedAmountDue: preview.amountDue, key };
  return html`<div class="card">
    <h1>${texts.html('resumeThis', { name: productName(subscription, texts) })}</h1>
    ${problem && html`<p class="failure" role="alert">${texts.text(problem)}</p>`}
    ${amounts({ subscription, preview, choice: {}, prices: new Map(), texts })}
    <form method="post" action="${links.endPause(subscription.id)}" class="stack">
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <div class="actions">
        <button>${texts.text('confirm')}</button>
        <a class="button quiet" href="${links.tab('subscriptions')}">${texts.text('goBack')}</a>
      </div>
    </form>
  </div>`;
}
