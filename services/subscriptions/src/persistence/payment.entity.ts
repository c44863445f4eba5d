import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { PaymentStatus } from '#domain/payment.ts';

export type PaymentKind = 'payment_intent' | 'charge';

const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  indexes: [{ name: 'payments_customer', properties: ['teamId', 'projectId', 'customerId'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    /** The processor's id of the payment intent (`pi_…`) or charge (`ch_…`). */
    processorId: p.text().primary(),
    kind: p.text().$type<PaymentKind>(),
    customerId: p.text().$type<CustomerId>().nullable(),
    /** Of a charge: the payment intent it belongs to. */
    processorPaymentIntentId: p.text().nullable(),
    status: p.text().$type<PaymentStatus>(),
    amount: p.bigint('number'),
    currency: p.text(),
    failureCode: p.text().nullable(),
    /** The event it was last taken from: the processor's time and its id. */
    asOf: p.datetime(),
    asOfEvent: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A payment intent or a charge, and how it ended; amount in the currency's smallest unit. No card data is kept. */
export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);
