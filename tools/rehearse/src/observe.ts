import type { BillingEvent } from '@billing/client';
import { INVOICE_STATUSES } from '@billing/contracts/resources/invoice';
import { collect } from '@billing/sync/collect';
import type { Actual } from './expect.rules.ts';
import { customerOf } from './happenings.rules.ts';
import type { Stage } from './stage.ts';

/** Reads what an expectation is compared with; `events` are those of the last step with a change. */
export async function observe(
  { client, customers, sold, names }: Stage,
  name: string,
  events: readonly BillingEvent[],
): Promise<Actual> {
  const customerId = customers.get(name) ?? '';
  const id = sold.get(customerId);
  const [subscription, { entitlements, payment }, invoices] = await Promise.all([
    id === undefined ? null : client.subscriptions.get(id),
    client.states.get(customerId),
    collect(client.invoices.list({ customerId, limit: 100 })),
  ]);
  return {
    subscription: subscription && {
      ...subscription,
      priceKey: names.prices.get(subscription.priceId ?? '') ?? null,
      paused: subscription.paused !== null,
    },
    entitlements: Object.fromEntries(Object.entries(entitlements).map(([key, { value }]) => [key, value])),
    payment,
    invoices: Object.fromEntries(
      INVOICE_STATUSES.map(status => [status, invoices.filter(it => it.status === status).length]),
    ),
    latestInvoice: invoices[0] ?? null,
    events: events.filter(event => customerOf(event) === customerId).map(({ type }) => type),
  };
}
