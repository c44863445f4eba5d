import { html } from 'hono/html';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import { hasExpired } from '#domain/card-expiry.ts';
import { formatCardExpiry } from '#format/dates.ts';
import type { Html } from './html.ts';
import { CARD, LOCK, WARNING } from './icons.ts';
import type { PortalView } from './view.ts';

/** The names that the processor's brand codes stand for. https://docs.stripe.com/api/payment_methods/object */
const BRANDS: ReadonlyMap<string, string> = new Map([
  ['amex', 'American Express'],
  ['cartes_bancaires', 'Cartes Bancaires'],
  ['diners', 'Diners Club'],
  ['discover', 'Discover'],
  ['eftpos_au', 'eftpos'],
  ['jcb', 'JCB'],
  ['mastercard', 'Mastercard'],
  ['unionpay', 'UnionPay'],
  ['visa', 'Visa'],
]);

/** What pays now, and the way to change it. */
export function paymentMethodsPanel(view: PortalView): Html {
  const { paymentMethod, links } = view;
  const isFirst = paymentMethod.kind === 'known' && paymentMethod.paymentMethod === null;
  return html`<div class="card">
    ${current(view)}
    <form class="foot" method="post" action="${links.paymentMethod}" data-payment-method>
      <button>${isFirst ? 'Add a payment method' : 'Update payment method'}</button>
      <span class="soft hint">${LOCK}<span>You enter it on the payment processor’s own page.</span></span>
    </form>
  </div>`;
}

function current({ paymentMethod: found, locale, now }: PortalView): Html {
  if (found.kind === 'unknown')
    return html`<div class="advice calm" role="status">
      ${WARNING}
      <p>
        The payment processor doesn’t answer right now, so your payment method can’t be shown. Everything else here is
        up to date.
      </p>
    </div>`;
  const shown = found.paymentMethod;
  return html`<div class="method">
    <span class="plate">${CARD}</span>
    <div>
      ${
        shown
          ? describe(shown, locale, now)
          : html`<h3>No payment method is saved</h3>
              <p class="soft">Add one, and your subscriptions are paid with it.</p>`
      }
    </div>
    ${shown && html`<span class="status">In use</span>`}
  </div>`;
}

function describe({ type, card }: PaymentMethodSnapshot, locale: string, now: Date): Html {
  if (!card) return html`<h3><bdi>${words(type)}</bdi></h3>`;
  const expiry = formatCardExpiry(card.expMonth, card.expYear, locale);
  return html`<h3>
      <bdi>${BRANDS.get(card.brand) ?? words(card.brand)}</bdi> <span aria-hidden="true">••••</span>
      <span class="unseen">ending in</span> ${card.last4}
    </h3>
    ${
      hasExpired(card, now)
        ? html`<p class="urgent">Expired ${expiry}. Update it before the next payment.</p>`
        : html`<p class="soft">Expires ${expiry}</p>`
    }`;
}

/** `sepa_debit` → `Sepa debit` */
function words(code: string): string {
  const text = code.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
