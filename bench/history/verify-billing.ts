import type { Client } from 'pg';
import { poll } from '../poll.ts';
import type { Tenant } from '../tenant.ts';
import { slotValue, type History, type HistoryCustomer } from './history.ts';
import { requireSame } from './require-same.ts';

interface VerifyOptions {
  readonly database: Client;
  readonly unitAmount: number;
}

/**
 * Checks that the API shows the subscription and the invoices of every customer, linked with each other, that the tables
 * have its payments, and that analytics shows the revenue.
 * @throws Error that names the difference
 */
export async function verifyBilling(
  { billing, teamId }: Tenant,
  { recording, tenant, customers }: History,
  { database, unitAmount }: VerifyOptions,
): Promise<void> {
  const { slots } = recording;
  const shown = new Map<string, string>();
  const ids = new Map<string, string>();
  for await (const it of billing.subscriptions.list({ activeOnly: false, limit: 100 })) {
    shown.set(it.processorSubscriptionId, `${it.customerId} ${it.status} ${it.priceId} ${it.quantity}`);
    ids.set(it.processorSubscriptionId, it.id);
  }
  const expected = (of: (idOf: (slot: string) => string, customer: HistoryCustomer) => [string, string][]) =>
    new Map(customers.flatMap(customer => of(slotValue(tenant, customer), customer)));
  requireSame(
    'subscriptions',
    shown,
    expected((idOf, { customerId }) => [[idOf(slots.subscription), `${customerId} active ${tenant.priceId} 1`]]),
  );

  const invoices = new Map<string, string>();
  for await (const it of billing.invoices.list({ limit: 100 }))
    invoices.set(it.processorInvoiceId, `${it.customerId} ${it.subscriptionId} ${it.status} ${it.amountPaid}`);
  requireSame(
    'invoices',
    invoices,
    expected((idOf, { customerId }) => {
      const state = `${customerId} ${ids.get(idOf(slots.subscription))} paid ${unitAmount}`;
      return slots.invoices.map(slot => [idOf(slot), state]);
    }),
  );

  const { rows } = await database.query<{ id: string; state: string }>(
    `select processor_id as id, concat_ws(' ', customer_id, status, amount) as state
       from subscriptions.payments where team_id = $1`,
    [teamId],
  );
  requireSame(
    'payments',
    new Map(rows.map(({ id, state }) => [id, state])),
    // A charge is a part of the payment of its intent.
    expected((idOf, { customerId }) => [[idOf(slots.paymentIntent), `${customerId} succeeded ${unitAmount}`]]),
  );

  const mrr = customers.length * unitAmount;
  await poll(async () => (await billing.analytics.get()).mrr === mrr, `analytics to show a revenue of ${mrr}`);
}
