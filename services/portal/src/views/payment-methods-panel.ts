import { html } from 'hono/html';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import { formatCardBrand, formatCardExpiry, hasCardExpired } from './format/card.ts';
import { humanize } from './format/text.ts';
import type { Html } from './html.ts';
import { CARD, LOCK, WARNING } from './icons.ts';
import type { PortalView } from './portal-view.ts';

/** Returns the current payment method and the button that changes it. */
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

function current({ paymentMethod: lookup, locale, now }: PortalView): Html {
  if (lookup.kind === 'unknown')
    return html`<div class="advice calm" role="status">
      ${WARNING}
      <p>
        The payment processor doesn’t answer right now, so your payment method can’t be shown. Everything else here is
        up to date.
      </p>
    </div>`;
  const shown = lookup.paymentMethod;
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
  if (!card) return html`<h3><bdi>${humanize(type)}</bdi></h3>`;
  const expiry = formatCardExpiry(card, locale);
  return html`<h3>
      <bdi>${formatCardBrand(card.brand)}</bdi> <span aria-hidden="true">••••</span>
      <span class="visually-hidden">ending in</span> ${card.last4}
    </h3>
    ${
      hasCardExpired(card, now)
        ? html`<p class="urgent">Expired ${expiry}. Update it before the next payment.</p>`
        : html`<p class="soft">Expires ${expiry}</p>`
    }`;
}
