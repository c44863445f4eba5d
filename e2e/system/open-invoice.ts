import { waitFor } from '@billing/testing/wait-for';
import { newSubscription, type Tenant } from './tenant.ts';

/** Has the renewal of a new subscription declined; returns the id of its open invoice. */
export async function newOpenInvoice(tenant: Tenant, priceId: string): Promise<string> {
  const { id: subscriptionId, processorSubscriptionId } = await newSubscription(tenant, priceId);
  await tenant.processor.renew(processorSubscriptionId, 'decline');
  return waitFor(
    async () => {
      const { items } = await tenant.billing.invoices.list({ subscriptionId, status: 'open' }).page();
      // The first invoice is open until its payment is known.
      return items.find(({ billingReason }) => billingReason === 'subscription_cycle')?.id;
    },
    { what: 'the open invoice', intervalMs: 50 },
  );
}
