import { html } from 'hono/html';
import { canCancel, canResume, mostUrgentFirst, needsPayment, standingOf } from '#domain/subscription-view.ts';
import { formatPrice } from '#format/price.ts';
import { cancellationText } from './cancellation-text.ts';
import { day, period } from './date.ts';
import type { Html } from './html.ts';
import { paymentAdvice } from './payment-advice.ts';
import type { PortalView, ShownSubscription } from './view.ts';

/** Every subscription that has not ended, those first that wait for a payment. */
export function subscriptionsPanel(view: PortalView): Html {
  if (view.subscriptions.length === 0)
    return html`<div class="card empty">
      <h3>No subscription</h3>
      <p>Nothing is billed to you at the moment.</p>
    </div>`;
  return html`<ul class="cards">
    ${mostUrgentFirst(view.subscriptions).map(it => card(it, view))}
  </ul>`;
}

/** A subscription's name in `bdi`, so that its direction can't reach the words around it. */
export const productName = ({ productName: name }: ShownSubscription): Html =>
  html`<bdi>${name ?? 'Subscription'}</bdi>`;

function card(subscription: ShownSubscription, view: PortalView): Html {
  const { locale } = view;
  const { id, items } = subscription;
  const { words, tone } = standingOf(subscription);
  return html`<li class="card" id="${id}" tabindex="-1">
    <div class="heading">
      <h3>${productName(subscription)}</h3>
      <span class="status ${tone}" data-status>${words}</span>
    </div>
    ${items.map(item => {
      const { amount, terms } = formatPrice(item, locale);
      return html`<p class="price"><strong>${amount}</strong>${terms}</p>`;
    })}
    ${needsPayment(subscription) && paymentAdvice(subscription, view)}
    <div class="row">
      ${facts(subscription, locale)} ${canCancel(subscription) && cancelAction(subscription, view)}
      ${canResume(subscription) && resumeAction(subscription, view)}
    </div>
  </li>`;
}

/** What happens when, the next thing first. */
function facts(subscription: ShownSubscription, locale: string): Html {
  const { status, currentPeriodStart, currentPeriodEnd, trialEnd, cancelAt } = subscription;
  const terms: [string, Html][] = [];
  if (cancelAt) terms.push(['Cancels on', day(cancelAt, locale)]);
  else if (status === 'active') terms.push(['Renews on', day(currentPeriodEnd, locale)]);
  if (trialEnd && status === 'trialing') terms.push(['Trial ends on', day(trialEnd, locale)]);
  terms.push(['Current period', period(currentPeriodStart, currentPeriodEnd, locale)]);
  return html`<dl>
    ${terms.map(
      ([term, said]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${said}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Without script the link leads to a page that asks; with it, the dialog does. */
function cancelAction(subscription: ShownSubscription, { links, locale }: PortalView): Html {
  const { id } = subscription;
  const name = productName(subscription);
  return html`<a class="button quiet" href="${links.cancel(id)}" data-dialog="cancel-${id}"
      >Cancel<span class="unseen"> ${name}</span></a
    >
    <dialog id="cancel-${id}" aria-labelledby="cancel-title-${id}">
      <h3 id="cancel-title-${id}">Cancel ${name}?</h3>
      ${cancellationText(subscription, locale)}
      <form method="post" action="${links.cancel(id)}" data-change="${id}" data-cancel="true" class="actions">
        <button class="danger">Cancel subscription</button>
        <button class="quiet" type="button" data-close>Keep it</button>
      </form>
    </dialog>`;
}

function resumeAction(subscription: ShownSubscription, { links }: PortalView): Html {
  const { id } = subscription;
  return html`<form method="post" action="${links.resume(id)}" data-change="${id}" data-cancel="false">
    <button>Resume<span class="unseen"> ${productName(subscription)}</span></button>
  </form>`;
}
