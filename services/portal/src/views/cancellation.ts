import { html } from 'hono/html';
import type { PortalLinks } from '#domain/portal-links.ts';
import { timeElement, type Html } from './html.ts';
import { CHECK, CLOCK } from './icons.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';

/** Returns a subscription's name in `bdi`, so that its text direction does not affect the words around it. */
export const productName = ({ productName: name }: ShownSubscription): Html =>
  html`<bdi>${name ?? 'Subscription'}</bdi>`;

/** Returns the cancel button. Without script it links to the confirmation page; with script it opens the dialog. */
export function cancelAction(subscription: ShownSubscription, { links, locale }: PortalView): Html {
  const { id } = subscription;
  const name = productName(subscription);
  return html`<a class="button quiet" href="${links.cancel(id)}" data-dialog="cancel-${id}"
      >Cancel<span class="visually-hidden"> ${name}</span></a
    >
    <dialog id="cancel-${id}" aria-labelledby="cancel-title-${id}">
      <h3 id="cancel-title-${id}">Cancel ${name}?</h3>
      ${consequences(subscription, locale)}
      <form method="post" action="${links.cancel(id)}" data-change="${id}" data-cancel="true" class="actions">
        <button class="danger">Cancel subscription</button>
        <button class="quiet" type="button" data-close autofocus>Keep it</button>
      </form>
    </dialog>`;
}

/** Returns the page that asks for confirmation of a cancellation, for browsers without script. */
export function confirmationContent(subscription: ShownSubscription, links: PortalLinks, locale: string): Html {
  return html`<div class="card">
    <h1>Cancel ${productName(subscription)}?</h1>
    ${consequences(subscription, locale)}
    <form method="post" action="${links.cancel(subscription.id)}" class="actions">
      <button class="danger">Cancel subscription</button>
      <a class="button quiet" href="${links.tab('subscriptions')}">Keep it</a>
    </form>
  </div>`;
}

function consequences({ status, currentPeriodEnd }: ShownSubscription, locale: string): Html {
  const end = timeElement(currentPeriodEnd, locale);
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
