import type { Tenant } from '../../system/tenant.ts';
import { readAllAtProcessor } from './processor-list.ts';
import type { Shown } from './shown.ts';

interface Named {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What stands twice though it may stand once: an event, a customer's e-mail, an active code, a referral, a credit. */
export function findDoubled({ subscriptions, customers, invoices, codes, credits, events }: Shown): string[] {
  const active = codes.filter(({ code }) => code.isActive);
  const referrals = codes.flatMap(it => it.referrals);
  const keys: Readonly<Record<string, readonly string[]>> = {
    event: events.map(({ id }) => id),
    subscription: subscriptions.map(it => it.processorSubscriptionId),
    invoice: invoices.map(it => it.processorInvoiceId),
    'customer with the e-mail': customers.map(({ email }) => email.toLowerCase()),
    'customer of the processor': customers.map(it => it.processorCustomerId),
    'active code of': active.map(({ code }) => code.customerId),
    'referral of': referrals.map(({ refereeCustomerId }) => refereeCustomerId),
    'credit of': credits.map(({ referralId, side }) => `${referralId} ${side}`),
  };
  return Object.entries(keys).flatMap(([what, all]) => repeated(what, all));
}

/** What was made at the processor more than once: customers for one of ours, balance transactions beyond the credits. */
export async function findDoubledAtProcessor(tenant: Tenant, { credits }: Shown): Promise<string[]> {
  const customers = await readAllAtProcessor<Named>(tenant, '/v1/customers');
  const { objects } = await tenant.processor.ledger();
  const transactions = objects.filter(
    ({ object, idempotencyKey }) => object === 'customer_balance_transaction' && idempotencyKey !== null,
  );
  const names = customers.flatMap(({ metadata }) => metadata['customerId'] ?? []);
  const keys = transactions.map(it => String(it.idempotencyKey));
  const extra = transactions.length - credits.filter(({ status }) => status !== 'failed').length;
  return [
    ...repeated('customer at the processor for', names),
    ...repeated('balance transaction under the key', keys),
    ...(extra > 0 ? [`${extra} balance transactions without a credit`] : []),
  ];
}

function repeated(what: string, keys: readonly string[]): string[] {
  const counts = Map.groupBy(keys, key => key);
  return [...counts].filter(([, all]) => all.length > 1).map(([key, all]) => `${what} ${key}: ${all.length} times`);
}
