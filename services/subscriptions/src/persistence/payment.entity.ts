import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, InvoiceId, PaymentId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Payment as PaymentResource, PaymentMethod, PaymentStatus } from '@billing/contracts/resources/payment';
import type { PaymentObservations } from '#domain/payment.ts';

const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  uniques: [{ name: 'payments_processor_id_unique', properties: ['processorId', 'teamId', 'projectId'] }],
  indexes: [
    { name: 'payments_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'payments_customer', properties: ['customerId', 'teamId', 'projectId'] },
    { name: 'payments_invoice', properties: ['processorInvoiceId', 'teamId', 'projectId'] },
    { name: 'payments_charge', properties: ['processorChargeId', 'teamId', 'projectId'] },
  ],
  properties: {
    id: p.text().$type<PaymentId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    /** The processor's id of the payment intent, or of a charge that has none. */
    processorId: p.text(),
    processorPaymentIntentId: p.text().strictNullable(),
    processorChargeId: p.text().strictNullable(),
    processorCustomerId: p.text().strictNullable(),
    customerId: p.text().$type<CustomerId>().strictNullable(),
    processorInvoiceId: p.text().strictNullable(),
    /** Null without an invoice, and until the invoice is recorded here. */
    invoiceId: p.text().$type<InvoiceId>().strictNullable(),
    /** Null, like amount and currency, while only a refund, a dispute or an invoice of the payment is known. */
    status: p.text().$type<PaymentStatus>().strictNullable(),
    amount: p.bigint('number').strictNullable(),
    amountRefunded: p.bigint('number'),
    currency: p.text().strictNullable(),
    failureCode: p.text().strictNullable(),
    failureMessage: p.text().strictNullable(),
    paymentMethod: p.json<PaymentMethod>().strictNullable(),
    /** What the columns above follow from. */
    observations: p.json<PaymentObservations>(),
    /** How many changes tenants were told of. */
    sequence: p.integer(),
    /** At the processor. */
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A payment of the processor: a payment intent with its charges. Amounts are in the currency's smallest unit; no card data is stored. */
export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);

/** The properties that callers see. */
export const SHOWN = [
  'id',
  'processorPaymentIntentId',
  'processorChargeId',
  'customerId',
  'invoiceId',
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
] as const satisfies readonly (keyof Payment)[];
export type ShownPayment = Pick<Payment, (typeof SHOWN)[number]>;

/** Returns the resource that callers get; null while only a refund, a dispute or an invoice of the payment is known. */
export function toResource(row: ShownPayment): PaymentResource | null {
  const { status, amount, currency } = row;
  if (status === null || amount === null || currency === null) return null;
  return {
    id: row.id,
    processorPaymentIntentId: row.processorPaymentIntentId,
    processorChargeId: row.processorChargeId,
    customerId: row.customerId,
    invoiceId: row.invoiceId,
    status,
    amount,
    amountRefunded: row.amountRefunded,
    currency,
    failureCode: row.failureCode,
    failureMessage: row.failureMessage,
    paymentMethod: row.paymentMethod,
    projectId: row.projectId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
