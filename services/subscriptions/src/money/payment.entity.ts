import { defineEntity, p } from '@mikro-orm/postgresql';
import { pick } from '@billing/contracts/fields-of';
import type { CustomerId, InvoiceId, PaymentId, ProjectId, TeamId, TestClockId } from '@billing/contracts/ids';
import {
  storedPaymentMethod,
  type Payment as PaymentResource,
  type PaymentStatus,
  type StoredPaymentMethod,
} from '@billing/contracts/resources/payment';
import type { PaymentObservations } from './payment.rules.ts';

const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  uniques: [{ name: 'payments_processor_id_unique', properties: ['processorId', 'teamId', 'projectId'] }],
  indexes: [
    { name: 'payments_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'payments_customer', properties: ['customerId', 'teamId', 'projectId'] },
    { name: 'payments_invoice', properties: ['processorInvoiceId', 'teamId', 'projectId'] },
    { name: 'payments_amount', properties: ['amount', 'teamId', 'projectId'] },
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
    /** The test clock of its customer; null in real time. */
    testClockId: p.text().$type<TestClockId>().strictNullable(),
    /** Null, like amount and currency, while only a refund, a dispute or an invoice of the payment is known. */
    status: p.text().$type<PaymentStatus>().strictNullable(),
    amount: p.bigint('number').strictNullable(),
    amountRefunded: p.bigint('number'),
    currency: p.text().strictNullable(),
    failureCode: p.text().strictNullable(),
    failureMessage: p.text().strictNullable(),
    paymentMethod: p.json<StoredPaymentMethod>().strictNullable(),
    /** What the columns above follow from. */
    observations: p.json<PaymentObservations>(),
    /** Of its last event for tenants. */
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
    ...pick(row, SHOWN),
    status,
    amount,
    currency,
    paymentMethod: row.paymentMethod && storedPaymentMethod.parse(row.paymentMethod),
  };
}
