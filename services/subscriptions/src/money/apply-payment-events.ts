import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PaymentId, type InvoiceId, type ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import { later } from '@billing/processor/event-order';
import type { Processor } from '@billing/processor/port';
import { readCharge } from '@billing/processor/snapshots/payments';
import { idOfMirrored } from '@billing/service/derived-id';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/save-record';
import { findClockedCustomers, type ClockedCustomer, type CustomerReference } from '#copies/find-customers';
import { fetchCustomer } from '#copies/fetch-customer';
import type { Dependencies } from '../dependencies.ts';
import { observedCharge } from './payment-observations.rules.ts';
import { failuresIn, mergeObservations, NOTHING_OBSERVED, termsOf, type PaymentObservations } from './payment.rules.ts';
import { markFailedInvoices, invoiceRows } from './invoice-rows.ts';
import { toResource, type Payment } from './payment.entity.ts';
import { findIntentsOf, paymentRows } from './payment-rows.ts';
import { savePayments, type SavedPayment } from './save.ts';

/** What an event says about a payment. */
export interface PaymentReport {
  readonly observations: PaymentObservations;
  /** May name our customer. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What was read because of an event. */
export interface PreparedPayment extends PaymentReport {
  /** The payment intent of the charge, if it has one. */
  readonly paymentIntentId: string | null;
}

/** An event of a payment that was routed to a project. */
export interface PaymentEvent extends PaymentReport {
  readonly scope: ProjectScope;
  readonly source: Source;
  readonly paymentIntentId: string | null;
  /** Null for an event that needs no read: it shows the payment itself, or names no charge. */
  readonly chargeToRead: string | null;
  /** The processor's id of the payment intent, or of a charge that has none. */
  readonly processorId: string;
  /** What `preparePaymentEvent` returned. */
  readonly prepared: PreparedPayment | undefined;
}

/**
 * Records what events say about payments, so that every order of delivery leads to the same record (`payment.rules.ts`),
 * and publishes each payment that changes, once. Returns the events that need `preparePaymentEvent` first: the customer of the payment has no copy here, or the payment
 * that was refunded or disputed is not known.
 */
export function applyPaymentEvents({ now }: Pick<Dependencies, 'now'>) {
  return async <Event extends PaymentEvent>(
    tx: EntityManager,
    given: readonly Event[],
    publish: Publish,
  ): Promise<Event[]> => {
    const events = await withIntents(tx, given);
    const named = events.flatMap(invoicesOf);
    // An invoice that is recorded at the same time would not see this payment, and the payment never show it.
    const links: Links = { named: new Set(named.map(scopedKey)), ids: await invoiceRows.findIdsOrLock(tx, named) };
    const payments = events.map(toObject);
    await paymentRows.lock(tx, payments);
    const rows = await paymentRows.find(tx, payments);
    const customers = await findCustomersOf(
      tx,
      events.filter(event => !rows.get(scopedKey(toObject(event)))?.customerId),
    );
    const changed = new Map<string, SavedPayment>();
    const unprepared: Event[] = [];
    for (const event of events) {
      const key = scopedKey(toObject(event));
      const row = rows.get(key);
      const known = row?.observations ?? NOTHING_OBSERVED;
      const observations = mergeObservations(known, reportOf(event).observations);
      const found = customers.get(event);
      const customerId = row?.customerId ?? found?.id ?? null;
      const needsCustomer = observations.customerId !== null && customerId === null;
      const needsRead = event.chargeToRead !== null && event.prepared === undefined && !termsOf(observations);
      if (needsCustomer || needsRead) {
        unprepared.push(event);
      } else {
        const invoiceId = linkedInvoice(row, { scope: event.scope, observations, links });
        if (row && invoiceId === row.invoiceId && isDeepStrictEqual(observations, known)) continue;
        const testClockId = row?.testClockId ?? found?.testClockId ?? null;
        const columns = columnsOf(observations, { customerId, testClockId, invoiceId, at: event.source.at });
        const next = { ...(row ?? newPayment(event, now())), ...columns };
        const before = row ? toResource(row) : null;
        rows.set(key, next);
        changed.set(key, { before, ...changed.get(key), row: next, source: event.source });
      }
    }
    const saved = [...changed.values()];
    await savePayments(tx, publish, saved, now());
    await markFailedInvoices(
      tx,
      saved.flatMap(({ row }) => failedInvoiceOf(row)),
    );
    return unprepared;
  };
}

/**
 * Finds out, outside of any transaction, what the event does not carry: the charge of a payment that is not known, and the
 * customer, whose copy is saved then.
 */
export function preparePaymentEvent(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const { em, processors } = dependencies;
  const fetch = fetchCustomer(dependencies);

  const readPayment = async (event: PaymentEvent): Promise<PreparedPayment> => {
    const { chargeToRead, scope, source } = event;
    const row = (await paymentRows.find(em.fork(), [toObject(event)])).get(scopedKey(toObject(event)));
    if (chargeToRead === null || row?.status) return NO_REPORT;
    // It shows at least what the event tells of.
    return (await readPaymentOf(await processors.of(scope.teamId), chargeToRead, source.at)) ?? NO_REPORT;
  };

  return async (event: PaymentEvent): Promise<PreparedPayment> => {
    const prepared = await readPayment(event);
    for (const reference of referencesOf({ ...event, prepared })) await fetch(reference);
    return prepared;
  };
}

/** Reads a charge at the processor: it shows what happened until then, or until `notBefore`. Null when there is none. */
export async function readPaymentOf(
  processor: Processor,
  chargeId: string,
  notBefore: Date | null = null,
): Promise<(PreparedPayment & { readonly at: Date }) | null> {
  const { object, readAt } = await processor.findListed('payment', chargeId);
  if (!object) return null;
  const charge = readCharge(object);
  const { metadata, paymentIntentId } = charge;
  const at = later(notBefore, readAt);
  return { observations: observedCharge(charge, at), metadata, paymentIntentId, at };
}

const NO_REPORT: PreparedPayment = { observations: NOTHING_OBSERVED, metadata: {}, paymentIntentId: null };

/** Names the payment intent in events that name only its charge, as far as it is recorded or was read. */
async function withIntents<Event extends PaymentEvent>(tx: EntityManager, events: readonly Event[]): Promise<Event[]> {
  const isUnnamed = ({ chargeToRead, paymentIntentId }: Event) => chargeToRead !== null && paymentIntentId === null;
  const intents = await findIntentsOf(tx, events.filter(isUnnamed).map(toObject));
  return events.map(event => {
    const intent = event.prepared?.paymentIntentId ?? intents.get(scopedKey(toObject(event)));
    return isUnnamed(event) && intent ? { ...event, processorId: intent, paymentIntentId: intent } : event;
  });
}

/** What the event and the read because of it say together. */
function reportOf({ observations, metadata, prepared = NO_REPORT }: PaymentEvent): PaymentReport {
  return {
    observations: mergeObservations(observations, prepared.observations),
    metadata: { ...prepared.metadata, ...metadata },
  };
}

/** The invoices that a batch names, by `scopedKey`, and our ids of those that are recorded. */
interface Links {
  readonly named: ReadonlySet<string>;
  readonly ids: ReadonlyMap<string, InvoiceId>;
}

function linkedInvoice(
  row: Payment | undefined,
  { scope, observations, links }: Pick<PaymentEvent, 'scope' | 'observations'> & { readonly links: Links },
): InvoiceId | null {
  const { invoiceId: id } = observations;
  if (id === null) return null;
  const key = scopedKey({ scope, id });
  return links.named.has(key) ? (links.ids.get(key) ?? null) : (row?.invoiceId ?? null);
}

/** The columns that follow from no observation. */
function newPayment(
  { scope: { teamId, projectId }, processorId, paymentIntentId: processorPaymentIntentId }: PaymentEvent,
  now: Date,
) {
  return {
    id: idOfMirrored(PaymentId, { teamId, projectId }, processorId),
    teamId,
    projectId,
    processorId,
    processorPaymentIntentId,
    sequence: 0,
    updatedAt: now,
  };
}

function columnsOf(
  observations: PaymentObservations,
  {
    customerId,
    testClockId,
    invoiceId,
    at,
  }: Pick<Payment, 'customerId' | 'testClockId' | 'invoiceId'> & Pick<Source, 'at'>,
): Omit<Payment, keyof ReturnType<typeof newPayment>> {
  const terms = termsOf(observations);
  return {
    status: terms?.status ?? null,
    amount: terms?.amount ?? null,
    amountRefunded: terms?.amountRefunded ?? 0,
    currency: terms?.currency ?? null,
    processorChargeId: terms?.processorChargeId ?? null,
    failureCode: terms?.failureCode ?? null,
    failureMessage: terms?.failureMessage ?? null,
    paymentMethod: terms?.paymentMethod ?? null,
    processorCustomerId: observations.customerId,
    customerId,
    testClockId,
    processorInvoiceId: observations.invoiceId,
    invoiceId,
    observations,
    createdAt: observations.createdAt === null ? at : new Date(observations.createdAt),
  };
}

async function findCustomersOf<Event extends PaymentEvent>(
  tx: EntityManager,
  events: readonly Event[],
): Promise<ReadonlyMap<Event, ClockedCustomer | undefined>> {
  const withCustomer = events.filter(event => referencesOf(event).length > 0);
  const found = await findClockedCustomers(tx, withCustomer.flatMap(referencesOf));
  return new Map(withCustomer.map((event, index) => [event, found[index]]));
}

/** The invoice that a payment failed to pay. */
function failedInvoiceOf({ teamId, projectId, processorInvoiceId: id, observations }: Payment): ProjectObject[] {
  const isFailed = id !== null && failuresIn(observations).length > 0;
  return isFailed ? [{ scope: { teamId, projectId }, id }] : [];
}

/** The invoice that the event, or the read because of it, names. */
function invoicesOf(event: PaymentEvent): ProjectObject[] {
  const { invoiceId: id } = reportOf(event).observations;
  return id === null ? [] : [{ scope: event.scope, id }];
}

const toObject = ({ scope, processorId }: PaymentEvent): ProjectObject => ({ scope, id: processorId });

/** How the payment refers to its customer; empty for a payment without one. */
function referencesOf(event: PaymentEvent): CustomerReference[] {
  const { observations, metadata } = reportOf(event);
  return observations.customerId === null
    ? []
    : [{ scope: event.scope, processorCustomerId: observations.customerId, metadata }];
}
