import { defineEntity, p } from '@mikro-orm/postgresql';
import { searchIndex } from '@billing/database/containing';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { CustomerId, InvoiceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import {
  invoice,
  invoiceState,
  type Invoice as InvoiceResource,
  type InvoiceState,
  type InvoiceStatus,
} from '@billing/contracts/resources/invoice';
import type { StoredLine } from './invoice.rules.ts';

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
    { name: 'invoices_amount', properties: ['amountDue', 'teamId', 'projectId'] },
    searchIndex('invoices_number', 'invoices', ['number']),
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
    attempts: p.bigint('number'),
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
    subtotal: p.bigint('number').strictNullable(),
    discount: p.bigint('number').strictNullable(),
    tax: p.bigint('number').strictNullable(),
    total: p.bigint('number').strictNullable(),
    taxes: p.json<InvoiceResource['taxes']>(),
    customerTaxIds: p.json<InvoiceResource['customerTaxIds']>(),
    purchaseOrder: p.text().strictNullable(),
    /** The processor's id of the test clock that it lives on; null in real time. */
    testClockId: p.text().strictNullable(),
    /** Not loaded with an entity unless it is asked for: there may be many. */
    lines: p.json<readonly StoredLine[]>().lazy(),
    /** Whether the customer is deleted: tax ids and order number are erased, and stay so. */
    isErased: p.boolean(),
    /** Whether a payment of it failed, whatever became of it (`markFailedInvoices`). */
    hasFailed: p.boolean(),
    /** Incremented by every change. */
    version: p.integer(),
    /** Of its last event for tenants. */
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

/** Returns the resource that callers get. */
export const toResource = (row: Invoice): InvoiceResource => fieldsOf(invoice, row);

/** Returns the state that events and other services get. */
export const toState = (row: Invoice): InvoiceState => fieldsOf(invoiceState, row);

const DeletedInvoiceSchema = defineEntity({
  name: 'DeletedInvoice',
  tableName: 'deleted_invoices',
  properties: {
    processorInvoiceId: p.text().primary(),
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
  },
});

/** A draft that was deleted at the processor: no event that comes later records it again. */
export class DeletedInvoice extends DeletedInvoiceSchema.class {}
DeletedInvoiceSchema.setClass(DeletedInvoice);
