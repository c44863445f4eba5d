import type { Client } from 'pg';
import { slotValue, type History, type HistoryCustomer } from './history.ts';
import { requireSame } from './require-same.ts';

/**
 * Checks the tables of the sync engine.
 * @throws Error that names the difference
 */
export async function verifySyncEngine(
  database: Client,
  { recording, tenant, customers }: History,
  unitAmount: number,
): Promise<void> {
  const { slots } = recording;
  type Expected = (idOf: (slot: string) => string, customer: HistoryCustomer) => readonly [string, string][];
  const verify = async (table: string, columns: string, expectedOf: Expected, key = 'id') => {
    const expected = new Map(customers.flatMap(customer => expectedOf(slotValue(tenant, customer), customer)));
    const { rows } = await database.query<{ id: string; state: string }>(
      `select ${key} as id, concat_ws(' ', ${columns}) as state from stripe.${table} where ${key} = any($1)`,
      [[...expected.keys()]],
    );
    if (rows.length !== expected.size)
      throw new Error(`The sync engine has ${rows.length} of ${expected.size} rows of ${table}.`);
    requireSame(table, new Map(rows.map(({ id, state }) => [id, state])), expected);
  };

  const { subscription, checkoutSession, paymentIntent, charge, invoices } = slots;
  const oneUnit = `${tenant.processorPriceId} 1`;
  await verify('customers', 'email', (_idOf, it) => [[it.processorCustomerId, it.email]]);
  await verify('subscriptions', 'customer, status', (idOf, it) => [
    [idOf(subscription), `${it.processorCustomerId} active`],
  ]);
  await verify('subscription_items', 'price, quantity', idOf => [[idOf(subscription), oneUnit]], 'subscription');
  await verify('invoices', 'customer, status, amount_paid', (idOf, it) =>
    invoices.map(slot => [idOf(slot), `${it.processorCustomerId} paid ${unitAmount}`]),
  );
  for (const [table, slot] of [
    ['payment_intents', paymentIntent],
    ['charges', charge],
  ] as const)
    await verify(table, 'customer, status, amount', (idOf, it) => [
      [idOf(slot), `${it.processorCustomerId} succeeded ${unitAmount}`],
    ]);
  await verify('checkout_sessions', 'customer, status', (idOf, it) => [
    [idOf(checkoutSession), `${it.processorCustomerId} complete`],
  ]);
  const lineItems = 'checkout_session_line_items';
  await verify(lineItems, 'price, quantity', idOf => [[idOf(checkoutSession), oneUnit]], 'checkout_session');
}
