import { html } from 'hono/html';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { isPayable } from './invoices-panel.ts';
import { processorLink } from '#domain/processor-link.ts';
import type { Html } from './html.ts';
import { WARNING } from './icons.ts';
import type { PortalView, ShownSubscription } from './portal-view.ts';

const REASONS: { readonly [Status in SubscriptionStatus]?: string } = {
  past_due: 'Your last payment didn’t go through.',
  unpaid: 'Several payments didn’t go through.',
  incomplete: 'The first payment is still missing.',
};

/** Returns what went wrong with the payment and what the customer can do: pay the open invoice, for example. */
export function missingPaymentAdvice({ id, status }: ShownSubscription, view: PortalView): Html {
  const { links, invoices, processorBaseUrl } = view;
  const open = invoices.find(it => it.subscriptionId === id && isPayable(it));
  const pay = processorLink(open?.hostedInvoiceUrl ?? null, processorBaseUrl);
  return html`<div class="advice">
    ${WARNING}
    <div>
      <p>
        <strong>${REASONS[status]}</strong> Pay the open invoice now, or update your payment method for the next
        attempt.
      </p>
      <p class="actions">
        ${
          pay
            ? html`<a class="button" href="${pay}" rel="noreferrer">Pay now</a>`
            : html`<a class="button" href="${links.tab('invoices')}" data-tab="invoices">See open invoices</a>`
        }
        <a class="button quiet" href="${links.tab('payment-methods')}" data-tab="payment-methods"
          >Update payment method</a
        >
      </p>
    </div>
  </div>`;
}
