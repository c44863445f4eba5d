import { html } from 'hono/html';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import { formatCardBrand, formatCardExpiry, hasCardExpired } from './format/card.ts';
import { humanize } from './format/text.ts';
import type { Html } from './html.ts';
import type { PortalView } from './portal-view.ts';

/** Returns the name of a payment method: `Visa •••• 4242`. */
export function methodName({ type, card }: PaymentMethodSnapshot): Html {
  if (!card) return html`<bdi>${humanize(type)}</bdi>`;
  return html`<bdi>${formatCardBrand(card.brand)}</bdi> <span aria-hidden="true">••••</span>
    <span class="visually-hidden">ending in</span> ${card.last4}`;
}

/** Returns when a card expires; nothing for other payment methods. */
export function methodExpiry({ card }: PaymentMethodSnapshot, { locale, now }: PortalView): Html | false {
  if (!card) return false;
  const expiry = formatCardExpiry(card, locale);
  return hasCardExpired(card, now)
    ? html`<p class="urgent">Expired ${expiry}. Update it before the next payment.</p>`
    : html`<p class="soft">Expires ${expiry}</p>`;
}
