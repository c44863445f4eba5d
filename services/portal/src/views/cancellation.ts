import { html } from 'hono/html';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { PortalLinks } from '#domain/portal-links.ts';
import { timeElement, type Html } from './html.ts';
import { CHECK, CLOCK } from './icons.ts';
import type { Texts } from './texts.ts';
import type { MessageKey } from './messages/en.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';

/** Returns a subscription's name in `bdi`, so that its text direction does not affect the words around it. */
export const productName = ({ productName: name }: ShownSubscription, texts: Texts): Html =>
  html`<bdi>${name ?? texts.text('subscription')}</bdi>`;

/** Returns the cancel button. Without script it links to the confirmation page; with script it opens the dialog. */
export function cancelAction(subscription: ShownSubscription, { links, texts }: PortalView): Html {
  const { id } = subscription;
  const name = productName(subscription, texts);
  return html`<a class="button quiet" href="${links.cancel(id)}" data-dialog="cancel-${id}"
      >${texts.html('cancel', { name })}</a
    >
    <dialog id="cancel-${id}" aria-labelledby="cancel-title-${id}">
      <h3 id="cancel-title-${id}">${texts.html('cancelThis', { name })}</h3>
      ${consequences(subscription, texts)}
      <form method="post" action="${links.cancel(id)}" data-change="${id}" data-cancel="true" class="actions">
        <button class="danger">${texts.text('cancelSubscription')}</button>
        <button class="quiet" type="button" data-close autofocus>${texts.text('keepIt')}</button>
      </form>
    </dialog>`;
}

/** Returns the page that asks for confirmation of a cancellation, for browsers without script. */
export function confirmationContent(subscription: ShownSubscription, links: PortalLinks, texts: Texts): Html {
  return html`<div class="card">
    <h1>${texts.html('cancelThis', { name: productName(subscription, texts) })}</h1>
    ${consequences(subscription, texts)}
    <form method="post" action="${links.cancel(subscription.id)}" class="actions">
      <button class="danger">${texts.text('cancelSubscription')}</button>
      <a class="button quiet" href="${links.tab('subscriptions')}">${texts.text('keepIt')}</a>
    </form>
  </div>`;
}

function consequences({ status, currentPeriodEnd }: ShownSubscription, texts: Texts): Html {
  const end = timeElement(currentPeriodEnd, texts.locale);
  const [goesOn, charge] = CONSEQUENCES[status] ?? ['endsOn', undefined];
  return html`<ul class="consequences">
    <li>${CLOCK}<span>${texts.html(goesOn, { end })}</span></li>
    ${charge && html`<li>${CHECK}<span>${texts.text(charge)}</span></li>`}
    <li>${CHECK}<span>${texts.text('canResume')}</span></li>
  </ul>`;
}

const CONSEQUENCES: { readonly [Status in SubscriptionStatus]?: readonly [MessageKey, MessageKey] } = {
  trialing: ['trialGoesOn', 'notCharged'],
  active: ['keptUntil', 'notChargedAgain'],
};
