import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Payment as PaymentResource } from '@billing/contracts/resources/payment';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import type { Payment } from '#persistence/payment.entity.ts';

/** The properties that a payment shows; the invoice's id becomes ours. */
export const SHOWN = [
  'id',
  'processorPaymentIntentId',
  'processorChargeId',
  'customerId',
  'processorInvoiceId',
  'status',
  'amount',
  'amountRefunded',
  'currency',
  'failureCode',
  'failureMessage',
  'paymentMethod',
  'projectId',
  'createdAt',
  'updatedAt',
] as const;
type Shown = Pick<Payment, (typeof SHOWN)[number]>;

/** Returns the resources of payments, without those of which only a refund or a dispute is known. */
export async function showPayments(
  em: EntityManager,
  scope: ProjectScope,
  rows: readonly Shown[],
): Promise<PaymentResource[]> {
  const invoiceOf = (id: string): ProjectObject => ({ scope, id });
  const invoiceIds = rows.flatMap(row => row.processorInvoiceId ?? []);
  const invoices = await invoiceRows.find(em, invoiceIds.map(invoiceOf));
  return rows.flatMap(({ processorInvoiceId, ...row }) => {
    const { status, amount, currency } = row;
    if (status === null || amount === null || currency === null) return [];
    const invoice = processorInvoiceId === null ? undefined : invoices.get(scopedKey(invoiceOf(processorInvoiceId)));
    return [{ ...row, status, amount, currency, invoiceId: invoice?.id ?? null }];
  });
}

/** Returns the resource of a payment that is known, with the properties that it shows alone. */
export async function showPayment(em: EntityManager, row: Payment): Promise<PaymentResource> {
  const shown = Object.fromEntries(SHOWN.map(property => [property, row[property]])) as unknown as Shown; // exactly its properties
  const [payment] = await showPayments(em, row, [shown]);
  if (!payment) throw new Error(`Nothing is known of the payment ${row.id} itself.`);
  return payment;
}
