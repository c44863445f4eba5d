import { html } from 'hono/html';
import { isDiscounted } from '@billing/contracts/discounted-items';
import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import { methodOf } from '#domain/methods-in-use.ts';
import { canCancel, canResume, mostUrgentFirst, needsPayment } from '#domain/subscription-status.ts';
import { canEndPause, canPause } from '#domain/pause.ts';
import { offerFor } from '#domain/offer.ts';
import { cancelAction } from './cancellation.ts';
import { periodElement, timeElement, type Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';
import { comingChanges } from './coming-change.ts';
import { discountText } from './discount-text.ts';
import { endPauseAction, pauseAction } from './pause.ts';
import { updateAction } from './plan-choice.ts';
import { priceText, priceWithSum } from './price-text.ts';
import { missingPaymentAdvice } from './missing-payment.ts';
import { methodName } from './payment-method.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';
import { productName, statusLabel } from './subscription-label.ts';
import type { Texts } from './texts.ts';

/** Returns a card for every subscription that has not ended; those that need a payment come first. */
export function subscriptionsPanel(view: PortalView): Html {
  if (view.subscriptions.length === 0)
    return html`<div class="card empty">
      <h3>${view.texts.text('noSubscription')}</h3>
      <p>${view.texts.text('nothingBilled')}</p>
    </div>`;
  return html`<ul class="cards">
    ${mostUrgentFirst(view.subscriptions).map(it => card(it, view))}
  </ul>`;
}

function card(subscription: ShownSubscription, view: PortalView): Html {
  const { texts } = view;
  const { id, items } = subscription;
  const { text, tone } = statusLabel(subscription);
  return html`<li class="card" id="${id}" tabindex="-1">
    <div class="heading">
      <h3>${productName(subscription, texts)}</h3>
      <span class="status ${tone}" data-status>${texts.text(text)}</span>
    </div>
    ${items.map(item => html`<p class="price">${priceWithSum(item, texts)}</p>`)}
    ${needsPayment(subscription) && missingPaymentAdvice(subscription, view)} ${comingChanges(subscription, view)}
    <div class="row">
      ${details(subscription, view)}
      ${offerFor(subscription, view.config, view.prices) && updateAction(subscription, view.links, texts)}
      ${canPause(subscription, view.config.pause) && pauseAction(subscription, view)}
      ${canEndPause(subscription, view.config.pause) && endPauseAction(subscription, view)}
      ${canCancel(subscription) && cancelAction(subscription, view)}
      ${canResume(subscription) && resumeAction(subscription, view)}
    </div>
  </li>`;
}

/** The next date first, and last what the subscription is charged to. */
function details(subscription: ShownSubscription, { texts, paymentMethods: lookup }: PortalView): Html {
  const { status, currentPeriodStart, currentPeriodEnd, trialEnd, cancelAt, pauseCollection } = subscription;
  const { locale } = texts;
  const rows: [term: MessageKey, description: Html][] = [];
  if (cancelAt) rows.push(['cancelsOn', timeElement(cancelAt, locale)]);
  else if (status === 'active' && !pauseCollection) rows.push(['renewsOn', timeElement(currentPeriodEnd, locale)]);
  if (trialEnd && status === 'trialing') rows.push(['trialEndsOn', timeElement(trialEnd, locale)]);
  if (pauseCollection?.resumesAt) rows.push(['pausedUntil', timeElement(pauseCollection.resumesAt, locale)]);
  rows.push(['currentPeriod', periodElement(currentPeriodStart, currentPeriodEnd, locale)]);
  for (const discount of subscription.discounts) {
    const text = discountOf(subscription, discount, texts);
    if (text) rows.push(['discount', text]);
  }
  const method = lookup.kind === 'known' && methodOf(lookup.paymentMethods, subscription);
  if (method) rows.push(['paidWith', methodName(method, texts)]);
  return html`<dl>
    ${rows.map(
      ([term, description]) =>
        html`<div>
          <dt>${texts.text(term)}</dt>
          <dd>${description}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Names the prices that a discount lowers, unless those are all; null for one that lowers none, or of which only the id is known. */
function discountOf({ items }: ShownSubscription, discount: BilledDiscount, texts: Texts): Html | null {
  const text = discountText(discount, texts);
  const lowered = items.filter((item, index) => isDiscounted(discount, item, index));
  if (text === null || lowered.length === 0) return null;
  if (lowered.length === items.length) return text;
  return html`${lowered.map((item, index) => html`${index > 0 && ', '}${priceText(item, texts)}`)}: ${text}`;
}

function resumeAction(subscription: ShownSubscription, { links, texts }: PortalView): Html {
  const { id } = subscription;
  return html`<form method="post" action="${links.resume(id)}" data-change="${id}" data-cancel="false">
    <button>${texts.html('resume', { name: productName(subscription, texts) })}</button>
  </form>`;
}
