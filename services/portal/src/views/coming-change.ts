import { html } from 'hono/html';
import { formatMoney } from '@billing/contracts/money-format';
import type { PendingChange, PlanChangeItem } from '@billing/contracts/resources/plan-change';
import { soldIn } from '#domain/offer.ts';
import { processorLink } from '#domain/processor-link.ts';
import { timeElement, type Html } from './html.ts';
import { CLOCK, WARNING } from './icons.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';
import { priceText } from './price-text.ts';
import { productName } from './subscription-label.ts';

/** Returns what a subscription is going to become, and how to take that back: of two changes the one that waits first. */
export function comingChanges(subscription: ShownSubscription, view: PortalView): Html {
  const { pendingChange, scheduledChange, isMigrating } = subscription;
  const { texts } = view;
  return html`${pendingChange && waitingChange(pendingChange, subscription, view)}
  ${
    scheduledChange &&
    html`<div class="advice later">
      ${CLOCK}
      <div>
        <p>
          ${texts.html('changesTo', {
            plan: planName(scheduledChange.items, subscription, view),
            date: timeElement(scheduledChange.effectiveAt, texts.locale),
          })}
        </p>
        ${!pendingChange && !isMigrating && html`<div class="actions">${dropAction(subscription, view)}</div>`}
      </div>
    </div>`
  }`;
}

function waitingChange(change: PendingChange, subscription: ShownSubscription, view: PortalView): Html {
  const { texts, processorBaseUrl } = view;
  const { reason, amountDue, items, expiresAt } = change;
  const pay = processorLink(change.hostedInvoiceUrl, processorBaseUrl);
  const currency = subscription.items[0]?.currency ?? '';
  return html`<div class="advice">
    ${WARNING}
    <div>
      <p>
        <strong>${texts.text(reason === 'declined' ? 'lastPaymentFailed' : 'confirmAtBank')}</strong>
        ${texts.html('waitsForPayment', {
          plan: planName(items, subscription, view),
          amount: formatMoney(amountDue, currency, texts.locale),
          date: timeElement(expiresAt, texts.locale),
        })}
      </p>
      <div class="actions">
        ${pay && html`<a class="button" href="${pay}" rel="noreferrer">${texts.text('payNow')}</a>`}
        ${dropAction(subscription, view)}
      </div>
    </div>
  </div>`;
}

const dropAction = (subscription: ShownSubscription, { links, texts }: PortalView): Html =>
  html`<form method="post" action="${links.dropChange(subscription.id)}">
    <button class="quiet">${texts.html('dropUpdate', { name: productName(subscription, texts) })}</button>
  </form>`;

/** Returns the names of products with their prices, or how many there are where those are not known: `Team ($49.99 / month × 3)`. */
function planName(
  items: readonly PlanChangeItem[],
  { items: [current] }: ShownSubscription,
  { productNames, prices, texts }: PortalView,
): Html {
  const count = new Intl.NumberFormat(texts.locale);
  return html`${items.map(({ priceId, quantity }, index) => {
    const name = productNames[priceId ?? ''] ?? texts.text('subscription');
    const known = priceId && prices.get(priceId);
    const sold = known && soldIn(current?.currency ?? known.price.currency, known);
    const terms = sold
      ? html` (${priceText({ ...sold.price, quantity }, texts)})`
      : quantity > 1 && html` × ${count.format(quantity)}`;
    return html`${index > 0 && ', '}<bdi>${name}</bdi>${terms}`;
  })}`;
}
