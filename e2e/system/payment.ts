import { waitFor } from '@billing/testing/wait-for';
import { newSubscription, type Tenant } from './tenant.ts';

/** Has a new customer pay a subscription; returns the id of the payment. */
export async function newPayment(tenant: Tenant, priceId: string): Promise<string> {
  const { customerId } = await newSubscription(tenant, priceId);
  return waitFor(
    async () => (await tenant.billing.payments.list({ customerId, status: 'succeeded' }).page()).items[0]?.id,
    { what: 'the payment', intervalMs: 50 },
  );
}
