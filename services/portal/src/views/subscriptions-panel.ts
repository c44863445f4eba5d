import { html } from 'hono/html';
import { methodOf } from '#domain/methods-in-use.ts';
import { canCancel, canResume, mostUrgentFirst, needsPayment, statusLabel } from '#domain/subscription-status.ts';
import { cancelAction, productName } from './cancellation.ts';
import { formatPrice } from './format/money.ts';
import { periodElement, timeElement, type Html } from './html.ts';
import { missingPaymentAdvice } from './missing-payment.ts';
import { methodName } from './payment-method.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';

/** Returns a card for every subscription that has not ended; those that need a payment come first. */
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

function card(subscription: ShownSubscription, view: PortalView): Html {
  const { locale } = view;
  const { id, items } = subscription;
  const { text, tone } = statusLabel(subscription);
  return html`<li class="card" id="${id}" tabindex="-1">
    <div class="heading">
      <h3>${productName(subscription)}</h3>
      <span class="status ${tone}" data-status>${text}</span>
    </div>
    ${items.map(item => {
      const { amount, terms } = formatPrice(item, locale);
      return html`<p class="price"><strong>${amount}</strong>${terms}</p>`;
    })}
    ${needsPayment(subscription) && missingPaymentAdvice(subscription, view)}
    <div class="row">
      ${details(subscription, view)} ${canCancel(subscription) && cancelAction(subscription, view)}
      ${canResume(subscription) && resumeAction(subscription, view)}
    </div>
  </li>`;
}

/** The next date first, and last what the subscription is charged to. */
function details(subscription: ShownSubscription, { locale, paymentMethods: lookup }: PortalView): Html {
  const { status, currentPeriodStart, currentPeriodEnd, trialEnd, cancelAt } = subscription;
  const rows: [term: string, description: Html | string][] = [];
  if (cancelAt) rows.push(['Cancels on', timeElement(cancelAt, locale)]);
  else if (status === 'active') rows.push(['Renews on', timeElement(currentPeriodEnd, locale)]);
  if (trialEnd && status === 'trialing') rows.push(['Trial ends on', timeElement(trialEnd, locale)]);
  rows.push(['Current period', periodElement(currentPeriodStart, currentPeriodEnd, locale)]);
  const method = lookup.kind === 'known' && methodOf(lookup.paymentMethods, subscription);
  if (method) rows.push(['Paid with', methodName(method)]);
  return html`<dl>
    ${rows.map(
      ([term, description]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${description}</dd>
        </div>`,
    )}
  </dl>`;
}

function resumeAction(subscription: ShownSubscription, { links }: PortalView): Html {
  const { id } = subscription;
  return html`<form method="post" action="${links.resume(id)}" data-change="${id}" data-cancel="false">
    <button>Resume<span class="visually-hidden"> ${productName(subscription)}</span></button>
  </form>`;
}
