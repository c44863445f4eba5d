import { html } from 'hono/html';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { methodOf } from '#domain/methods-in-use.ts';
import { processorLink } from '#domain/processor-link.ts';
import type { Html } from './html.ts';
import { WARNING } from './icons.ts';
import type { MessageKey } from './messages/messages.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';

const REASONS: { readonly [Status in SubscriptionStatus]?: MessageKey } = {
  past_due: 'lastPaymentFailed',
  unpaid: 'severalPaymentsFailed',
  incomplete: 'firstPaymentMissing',
};

/** Returns what went wrong with the payment and what the customer can do: pay the open invoice, for example. */
export function missingPaymentAdvice(subscription: ShownSubscription, view: PortalView): Html {
  const { status, openInvoiceUrl } = subscription;
  const { links, processorBaseUrl, texts, paymentMethods: lookup } = view;
  const reason = REASONS[status];
  const isCharged = lookup.kind === 'unknown' || methodOf(lookup.paymentMethods, subscription) !== 'invoice';
  const pay = processorLink(openInvoiceUrl, processorBaseUrl);
  return html`<div class="advice">
    ${WARNING}
    <div>
      ${
        isCharged &&
        html`<p>${reason && html`<strong>${texts.text(reason)}</strong>`} ${texts.text('payOpenInvoice')}</p>`
      }
      <p class="actions">
        ${
          pay
            ? html`<a class="button" href="${pay}" rel="noreferrer">${texts.text('payNow')}</a>`
            : html`<a class="button" href="${links.tab('invoices')}" data-tab="invoices"
                >${texts.text('seeOpenInvoices')}</a
              >`
        }
        ${
          isCharged &&
          html`<a class="button quiet" href="${links.tab('payment-methods')}" data-tab="payment-methods"
            >${texts.text('updatePaymentMethod')}</a
          >`
        }
      </p>
    </div>
  </div>`;
}
