import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, InvoiceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import type { Invoice as InvoiceResource, InvoiceStatus } from '@billing/contracts/resources/invoice';

const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  uniques: [{ name: 'invoices_processor_id_unique', properties: ['processorInvoiceId', 'teamId', 'projectId'] }],
  indexes: [
    { name: 'invoices_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    {
      name: 'invoices_open',
      properties: ['projectId', 'teamId', 'createdAt', 'id'],
      where: "status = 'open'",
    },
    {
      name: 'invoices_failed',
      properties: ['projectId', 'teamId', 'finalizedAt', 'id'],
      where: 'has_failed',
    },
    { name: 'invoices_customer', properties: ['customerId', 'teamId', 'projectId'] },
    { name: 'invoices_subscription', properties: ['subscriptionId', 'teamId', 'projectId'] },
    { name: 'invoices_processor_subscription', properties: ['processorSubscriptionId', 'teamId', 'projectId'] },
  ],
  properties: {
    id: p.text().$type<InvoiceId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    processorInvoiceId: p.text(),
    customerId: p.text().$type<CustomerId>(),
    /** Null without a subscription, and until the subscription is recorded here. */
    subscriptionId: p.text().$type<SubscriptionId>().strictNullable(),
    processorSubscriptionId: p.text().strictNullable(),
    number: p.text().strictNullable(),
    status: p.text().$type<InvoiceStatus>(),
    amountDue: p.bigint('number'),
    amountPaid: p.bigint('number'),
    amountRemaining: p.bigint('number'),
    attempted: p.boolean(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime().strictNullable(),
    finalizedAt: p.datetime().strictNullable(),
    currency: p.text(),
    billingReason: p.text().strictNullable(),
    hostedInvoiceUrl: p.text().strictNullable(),
    invoicePdfUrl: p.text().strictNullable(),
    periodStart: p.datetime().strictNullable(),
    periodEnd: p.datetime().strictNullable(),
    dueDate: p.datetime().strictNullable(),
    paidAt: p.datetime().strictNullable(),
    givenUpAt: p.datetime().strictNullable(),
    /** Whether a payment of it failed, whatever became of it (`markFailedInvoices`). */
    hasFailed: p.boolean(),
    /** Incremented by every change. */
    version: p.integer(),
    /** How many changes tenants were told of. */
    sequence: p.integer(),
    /** The position of the event that it was last taken from. */
    eventAt: p.datetime(),
    eventRank: p.smallint(),
    eventId: p.text(),
    /** The operation that voided it or marked it as uncollectible; a repeat of the request finds its result by that. */
    operationKey: p.text().strictNullable(),
    /** At the processor. */
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** An invoice, copied from the processor; amounts in the currency's smallest unit. */
export class Invoice extends InvoiceSchema.class {}
InvoiceSchema.setClass(Invoice);

/** Returns the resource that callers and other services get. */
export function toResource(row: Invoice): InvoiceResource {
  return {
    id: row.id,
    processorInvoiceId: row.processorInvoiceId,
    customerId: row.customerId,
    subscriptionId: row.subscriptionId,
    number: row.number,
    status: row.status,
    amountDue: row.amountDue,
    amountPaid: row.amountPaid,
    amountRemaining: row.amountRemaining,
    currency: row.currency,
    billingReason: row.billingReason,
    hostedInvoiceUrl: row.hostedInvoiceUrl,
    invoicePdfUrl: row.invoicePdfUrl,
    periodStart: row.periodStart,
    periodEnd: row.periodEnd,
    dueDate: row.dueDate,
    paidAt: row.paidAt,
    projectId: row.projectId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
