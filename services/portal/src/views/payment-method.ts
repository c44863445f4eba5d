import { html } from 'hono/html';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import { formatCardBrand, formatCardExpiry, hasCardExpired } from './format/card.ts';
import { humanize } from './format/text.ts';
import type { Html } from './html.ts';
import type { PortalView } from './portal-view.ts';
import type { Texts } from './texts.ts';

/** Returns the name of a payment method: `Visa •••• 4242`. */
export function methodName({ type, card }: PaymentMethodSnapshot, texts: Texts): Html {
  if (!card) return html`<bdi>${humanize(type)}</bdi>`;
  const brand = html`<bdi>${formatCardBrand(card.brand)}</bdi>`;
  const dots = html`<span aria-hidden="true">••••</span>`;
  return texts.html('card', { brand, dots, last4: card.last4 });
}

/** Returns when a card expires; nothing for other payment methods. */
export function methodExpiry({ card }: PaymentMethodSnapshot, { texts, now }: PortalView): Html | false {
  if (!card) return false;
  const expiry = formatCardExpiry(card, texts.locale);
  return hasCardExpired(card, now)
    ? html`<p class="urgent">${texts.text('cardExpired', { expiry })}</p>`
    : html`<p class="soft">${texts.text('cardExpires', { expiry })}</p>`;
}
