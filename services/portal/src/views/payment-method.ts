import { html } from 'hono/html';
import { paymentMethodText } from '@billing/contracts/payment-method-text';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import { formatCardExpiry, hasCardExpired } from './format/card.ts';
import type { Html } from './html.ts';
import type { PortalView } from './portal-view.ts';
import type { Texts } from './texts.ts';

/** Returns the name of what pays: `Visa •••• 4242`, `PayPal · a•••e@example.com`, `Invoices that you pay yourself`. */
export function methodName(method: PaymentMethodSnapshot | 'invoice', texts: Texts): Html {
  if (method === 'invoice') return html`${texts.text('byInvoice')}`;
  const { name, last4, detail } = paymentMethodText(method, texts.locale);
  const brand = html`<bdi>${name}</bdi>`;
  const dots = html`<span aria-hidden="true">••••</span>`;
  const numbered = last4 === null ? brand : texts.html('card', { brand, dots, last4 });
  return detail === null ? numbered : html`${numbered} · <bdi>${detail}</bdi>`;
}

/** Returns when a card expires; nothing for what else pays. */
export function methodExpiry(method: PaymentMethodSnapshot | 'invoice', { texts, now }: PortalView): Html | false {
  const card = method !== 'invoice' && method.expiry;
  if (!card) return false;
  const expiry = formatCardExpiry(card, texts.locale);
  return hasCardExpired(card, now)
    ? html`<p class="urgent">${texts.text('cardExpired', { expiry })}</p>`
    : html`<p class="soft">${texts.text('cardExpires', { expiry })}</p>`;
}
