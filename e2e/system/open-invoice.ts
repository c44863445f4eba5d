import { waitFor } from '@billing/testing/wait-for';
import { ok } from './http.ts';
import { newSubscription, type Tenant } from './tenant.ts';

/** Has the renewal of a new subscription declined; returns the id of its open invoice. */
export async function newOpenInvoice(tenant: Tenant, priceId: string): Promise<string> {
  const { id, processorSubscriptionId } = await newSubscription(tenant, priceId);
  await tenant.processor.renew(processorSubscriptionId, 'decline');
  const { api, P } = tenant;
  return waitFor(
    async () =>
      (await ok(api.get(`${P}/invoices?subscriptionId=${id}&status=open`))).invoices[0]?.id as string | undefined,
    { what: 'the open invoice', intervalMs: 50 },
  );
}
