import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { PaymentKind, PaymentStatus } from '#domain/payment.ts';

const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  indexes: [{ name: 'payments_customer', properties: ['teamId', 'projectId', 'customerId'] }],
  properties: {
    /** The processor's id of the payment intent (`pi_…`) or charge (`ch_…`). */
    processorId: p.text().primary(),
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    kind: p.text().$type<PaymentKind>(),
    customerId: p.text().$type<CustomerId>().strictNullable(),
    /** The payment intent that a charge belongs to. */
    processorPaymentIntentId: p.text().strictNullable(),
    status: p.text().$type<PaymentStatus>(),
    amount: p.bigint('number'),
    currency: p.text(),
    failureCode: p.text().strictNullable(),
    /** The event that it was last taken from: the processor's time and its id. */
    eventAt: p.datetime(),
    eventId: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** How a payment intent or a charge ended; the amount is in the currency's smallest unit. No card data is stored. */
export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);
