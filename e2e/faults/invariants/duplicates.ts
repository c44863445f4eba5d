import { listFromProcessor, type Tenant } from '../../system/tenant.ts';
import type { Snapshot } from './snapshot.ts';

interface ProcessorObject {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Finds events, e-mail addresses, active codes, referrals and credits that may exist only once. */
export function findDuplicates({
  subscriptions,
  customers,
  invoices,
  payments,
  codes,
  credits,
  events,
}: Snapshot): string[] {
  const active = codes.filter(({ code }) => code.isActive);
  const referrals = codes.flatMap(it => it.referrals);
  const keys: Readonly<Record<string, readonly string[]>> = {
    event: events.map(({ id }) => id),
    subscription: subscriptions.map(it => it.processorSubscriptionId),
    invoice: invoices.map(it => it.processorInvoiceId),
    payment: payments.map(it => String(it.processorPaymentIntentId)),
    'customer with the e-mail': customers.flatMap(({ email }) => email?.toLowerCase() ?? []),
    'processor customer': customers.map(it => it.processorCustomerId),
    'active code of': active.map(({ code }) => code.customerId),
    'referral of': referrals.map(({ refereeCustomerId }) => refereeCustomerId),
    'credit of': credits.map(({ referralId, side }) => `${referralId} ${side}`),
  };
  return Object.entries(keys).flatMap(([name, values]) => findRepeated(name, values));
}

/** Finds customers that were created twice at the processor, and balance transactions without a credit. */
export async function findProcessorDuplicates(tenant: Tenant, { credits }: Snapshot): Promise<string[]> {
  const customers = await listFromProcessor<ProcessorObject>(tenant, '/v1/customers');
  const { objects } = await tenant.processor.ledger();
  const isTransaction = (it: { readonly object: string }) => it.object === 'customer_balance_transaction';
  // A sale without a page takes what the customer has from the balance, under its own key.
  const ofOthers = new Set(objects.filter(it => !isTransaction(it)).map(it => it.idempotencyKey));
  const transactions = objects.filter(
    it => isTransaction(it) && it.idempotencyKey !== null && !ofOthers.has(it.idempotencyKey),
  );
  const customerIds = customers.flatMap(({ metadata }) => metadata['customerId'] ?? []);
  const keys = transactions.map(it => String(it.idempotencyKey));
  const extra = transactions.length - credits.filter(({ status }) => status !== 'failed').length;
  return [
    ...findRepeated('customer at the processor for', customerIds),
    ...findRepeated('balance transaction with key', keys),
    ...(extra > 0 ? [`${extra} balance transactions without a credit`] : []),
  ];
}

function findRepeated(name: string, keys: readonly string[]): string[] {
  const groups = Map.groupBy(keys, key => key);
  return [...groups].filter(([, all]) => all.length > 1).map(([key, all]) => `${name} ${key}: ${all.length} times`);
}
