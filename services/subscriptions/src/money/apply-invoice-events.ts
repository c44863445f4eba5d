import type { EntityManager } from '@mikro-orm/postgresql';
import { pick } from '@billing/contracts/fields-of';
import { InvoiceId, type ProjectScope, type SubscriptionId } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { EventPosition } from '@billing/processor/event-order';
import { missingOrThrow } from '@billing/processor/errors';
import { idOfMirrored } from '@billing/service/derived-id';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/save-record';
import { findCustomers, findDeletedCustomers, type CustomerReference } from '#copies/find-customers';
import { subscriptionRows } from '#record/subscription-rows';
import { fetchCustomer } from '#copies/fetch-customer';
import type { Dependencies } from '../dependencies.ts';
import { showsFailure } from './dunning.rules.ts';
import {
  applyInvoiceObservations,
  COPIED,
  contentOf,
  oldestReadable,
  type InvoiceObservation,
  type InvoiceReread,
  type RecordedInvoice,
} from './invoice.rules.ts';
import { deleteInvoices, findDeletedInvoices, markFailedInvoices, invoiceRows } from './invoice-rows.ts';
import { toState, type Invoice } from './invoice.entity.ts';
import { paymentRows } from './payment-rows.ts';
import { saveInvoices, type SavedInvoice } from './save.ts';
import { findPaymentsOf, linkPayments, type PaidInvoice } from './link-payments.ts';

/** Returns the id of a processor's subscription that is recorded in the project. */
type FindLink = (scope: ProjectScope, processorSubscriptionId: string | null) => SubscriptionId | null;

/** An event of a processor's invoice that was routed to a project. */
export interface InvoiceEvent extends InvoiceObservation {
  readonly scope: ProjectScope;
  readonly processorCustomerId: string;
  readonly source: Source;
  /** Whether it is that of a failed payment. */
  readonly isFailure?: boolean;
}

/** An invoice that was deleted at the processor; only drafts can be. */
export interface DeletedInvoice extends ProjectObject {
  readonly source: Source;
}

/**
 * Applies events to the invoices they are about, so that every order of delivery leads to the same record
 * (`invoice.rules.ts`), publishes each invoice that changes, and links the payments that paid them. What was deleted
 * stays so, and no payment shows it any more. Returns the events that need `prepareInvoiceEvent` first: the customer has no copy here, or the processor must be
 * read.
 * @throws Error for a status that this service does not know, if the invoice has no record
 */
export function applyInvoiceEvents({ now }: Pick<Dependencies, 'now'>) {
  const link = linkPayments({ now });
  return async <Event extends InvoiceEvent>(
    tx: EntityManager,
    given: readonly Event[],
    publish: Publish,
    gone: readonly DeletedInvoice[] = [],
  ): Promise<Event[]> => {
    // A subscription that is recorded at the same time would not see this invoice, and never be linked to it.
    const linked = await subscriptionRows.findIdsOrLock(tx, given.flatMap(subscriptionsOf));
    const invoices = given.map(toObject);
    await invoiceRows.lock(tx, [...invoices, ...gone]);
    await deleteInvoices(tx, gone);
    const rows = await invoiceRows.find(tx, invoices);
    const deleted = await findDeletedInvoices(
      tx,
      invoices.filter(invoice => !rows.has(scopedKey(invoice))),
    );
    const events = given.filter(event => !deleted.has(scopedKey(toObject(event))));
    const linkOf: FindLink = (scope, id) => (id === null ? null : (linked.get(scopedKey({ scope, id })) ?? null));

    const eventsByKey = Map.groupBy(events, event => scopedKey(toObject(event)));
    const missing = [...eventsByKey].filter(([key]) => !rows.has(key)).map(([, ofOne]) => ofOne);
    const named = await findPaymentsOf(tx, [...missing.flatMap(oldestReadable).map(toNamed), ...gone]);
    const paid = [...events.map(toPaid), ...named];
    await paymentRows.lock(tx, paid.flatMap(paymentsIn));
    const created = await createInvoices(tx, missing, { linkOf, now: now() });
    const saved: SavedInvoice[] = [];
    const unprepared: Event[] = [];
    for (const [key, ofOne] of eventsByKey) {
      const row = rows.get(key) ?? created.get(key);
      if (!row) {
        unprepared.push(...ofOne);
        continue;
      }
      const isNew = created.has(key);
      const recorded = recordedInvoice(row);
      const applied = applyInvoiceObservations(recorded, ofOne);
      unprepared.push(...applied.unprepared);
      const isChange = applied.invoice !== recorded;
      if (!isNew && !isChange) continue;
      const before = isNew ? null : toState(row);
      const { content, position } = applied.invoice;
      if (isChange)
        Object.assign(row, {
          ...content,
          ...positionColumns(position),
          subscriptionId: linkOf(row, content.processorSubscriptionId),
        } satisfies Partial<Invoice>);
      const last = applied.last ?? oldestReadable(ofOne)[0];
      if (last) saved.push({ row, before, source: last.source });
    }
    await saveInvoices(tx, publish, saved, now());
    await markFailedInvoices(tx, events.filter(hasFailure).map(toObject));
    await link(tx, paid, publish);
    return unprepared;
  };
}

/**
 * Finds out, outside of any transaction, what the event does not carry: the customer of a new invoice, whose copy is saved
 * then, or the state of a recorded one at the processor.
 */
export function prepareInvoiceEvent(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const { em, processors } = dependencies;
  const fetch = fetchCustomer(dependencies);
  return async (event: InvoiceEvent): Promise<InvoiceReread | null> => {
    const object = toObject(event);
    const row = (await invoiceRows.find(em.fork(), [object])).get(scopedKey(object));
    if (!row) {
      await fetch(referenceOf(event));
      return null;
    }
    const processor = await processors.of(event.scope.teamId);
    const snapshot = await processor.findInvoice(object.id).catch(missingOrThrow);
    return { snapshot, version: row.version };
  };
}

/** Creates the rows of invoices that have no record, by `scopedKey`; without those whose customer has no copy here. */
async function createInvoices(
  tx: EntityManager,
  groups: readonly (readonly InvoiceEvent[])[],
  { linkOf, now }: { linkOf: FindLink; now: Date },
): Promise<ReadonlyMap<string, Invoice>> {
  const oldest = groups.flatMap(oldestReadable);
  const customerIds = await findCustomers(tx, oldest.map(referenceOf));
  const deleted = await findDeletedCustomers(
    tx,
    oldest.flatMap(({ scope }, index) => (customerIds[index] ? [{ scope, id: customerIds[index] }] : [])),
  );
  const created = oldest.flatMap((event, index) => {
    const customerId = customerIds[index];
    if (!customerId) return [];
    const { scope, snapshot, position } = event;
    const content = contentOf(snapshot, { isErased: deleted.has(customerId) });
    const row: Invoice = {
      id: idOfMirrored(InvoiceId, scope, snapshot.id),
      teamId: scope.teamId,
      projectId: scope.projectId,
      processorInvoiceId: snapshot.id,
      customerId,
      ...content,
      ...positionColumns(position),
      operationKey: null,
      hasFailed: false,
      subscriptionId: linkOf(scope, content.processorSubscriptionId),
      version: 1,
      sequence: 0,
      createdAt: snapshot.createdAt,
      updatedAt: now,
    };
    return [[scopedKey(toObject(event)), row] as const];
  });
  return new Map(created);
}

/** Returns the invoice that a row records. */
export function recordedInvoice(row: Invoice): RecordedInvoice {
  const content = pick(row, ['processorSubscriptionId', 'status', 'lines', 'isErased', ...COPIED]);
  const position = { at: row.eventAt, rank: row.eventRank, eventId: row.eventId };
  return { content, position, version: row.version };
}

const positionColumns = ({ at, rank, eventId }: EventPosition) => ({ eventAt: at, eventRank: rank, eventId });

const toObject = ({ scope, snapshot }: InvoiceEvent): ProjectObject => ({ scope, id: snapshot.id });

/** Whether an event, or what was read because of it, shows that a payment failed; whatever the order of events, it did. */
const hasFailure = ({ isFailure, snapshot, reread }: InvoiceEvent): boolean =>
  isFailure === true || [snapshot, reread?.snapshot].some(it => it && it !== 'missing' && showsFailure(it));

const toPaid = ({ scope, snapshot: { id: invoiceId, paymentIds }, source }: InvoiceEvent): PaidInvoice => ({
  scope,
  invoiceId,
  paymentIds,
  source,
});

const toNamed = (event: InvoiceEvent) => ({ ...toObject(event), source: event.source });

const paymentsIn = ({ scope, paymentIds }: PaidInvoice): ProjectObject[] => paymentIds.map(id => ({ scope, id }));

/** The subscriptions of the event and of what was read because of it. */
const subscriptionsOf = ({ scope, snapshot, reread }: InvoiceEvent): ProjectObject[] =>
  [snapshot, reread?.snapshot].flatMap(it =>
    it && it !== 'missing' && it.subscriptionId ? [{ scope, id: it.subscriptionId }] : [],
  );

const referenceOf = ({ scope, snapshot, processorCustomerId }: InvoiceEvent): CustomerReference => ({
  scope,
  processorCustomerId,
  metadata: { ...snapshot.subscriptionMetadata, ...snapshot.metadata },
});
