import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, InvoiceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';

const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  uniques: [{ name: 'invoices_processor_id_unique', properties: ['teamId', 'projectId', 'processorInvoiceId'] }],
  indexes: [
    { name: 'invoices_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'invoices_customer', properties: ['teamId', 'projectId', 'customerId'] },
    { name: 'invoices_processor_subscription', properties: ['teamId', 'projectId', 'processorSubscriptionId'] },
  ],
  properties: {
    id: p.text().$type<InvoiceId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    processorInvoiceId: p.text(),
    customerId: p.text().$type<CustomerId>(),
    /** Null without a subscription, and until the subscription is known here. */
    subscriptionId: p.text().$type<SubscriptionId>().nullable(),
    processorSubscriptionId: p.text().nullable(),
    number: p.text().nullable(),
    status: p.text().$type<InvoiceStatus>(),
    amountDue: p.bigint('number'),
    amountPaid: p.bigint('number'),
    amountRemaining: p.bigint('number'),
    currency: p.text(),
    billingReason: p.text().nullable(),
    hostedInvoiceUrl: p.text().nullable(),
    invoicePdfUrl: p.text().nullable(),
    periodStart: p.datetime().nullable(),
    periodEnd: p.datetime().nullable(),
    dueDate: p.datetime().nullable(),
    paidAt: p.datetime().nullable(),
    /** Incremented by every change. */
    version: p.integer(),
    /** The event it was last taken from: the processor's time, the rank of its kind, its id. */
    asOf: p.datetime(),
    asOfRank: p.smallint(),
    asOfEvent: p.text(),
    /** The processor's. */
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** An invoice as the processor last told of it; amounts in the currency's smallest unit. */
export class Invoice extends InvoiceSchema.class {}
InvoiceSchema.setClass(Invoice);
