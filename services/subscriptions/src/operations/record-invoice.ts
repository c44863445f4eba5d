import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { InvoiceId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';
import { missingOrThrow } from '@billing/processor/errors';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { inDoubt, mayBecome, supersedes, type InvoiceMoment, type InvoiceSighting } from '#domain/invoice.ts';
import { Invoice } from '#persistence/invoice.entity.ts';
import { lock } from '#persistence/locks.ts';
import type { Dependencies } from '../dependencies.ts';
import { findByProcessorId } from './find-subscription.ts';

/** What an event says of an invoice. */
export interface InvoiceEvent {
  readonly snapshot: InvoiceSnapshot;
  readonly moment: InvoiceMoment;
}

/** What the processor answered about an invoice; `missing` when it knows none such any more. */
export interface InvoiceAnswer {
  readonly snapshot: InvoiceSnapshot | 'missing';
  /** Our version of the record before the question: only over this one the answer is surely the newer. */
  readonly overVersion: number;
}

/** Asks the processor for the invoice as it is now if the event raises a doubt about what is known; else answers null. */
export function lookAtInvoice({ em, processors }: Pick<Dependencies, 'em' | 'processors'>) {
  return async (scope: ProjectScope, event: InvoiceEvent): Promise<InvoiceAnswer | null> => {
    const row = await findInvoice(em.fork(), scope, event.snapshot.id);
    if (!row || !raisesDoubt(row, event)) return null;
    const processor = await processors.of(scope.teamId);
    const snapshot = await processor.findInvoice(event.snapshot.id).catch(missingOrThrow);
    return { snapshot, overVersion: row.version };
  };
}

/**
 * Keeps what an event says of an invoice, if it is the newer; in doubt what the processor answered, or without an
 * answer, because it has forgotten the invoice, what a fixed order says.
 * @throws Problem `unavailable` when the record changed since the look, Error for a status nobody knows: both are worth
 * another try
 */
export async function recordInvoice(
  tx: EntityManager,
  scope: ProjectScope,
  { snapshot, moment, customerId, answer }: InvoiceEvent & { customerId: CustomerId; answer: InvoiceAnswer | null },
): Promise<void> {
  // Or the subscription might be committed meanwhile without seeing this invoice, and never be linked to it.
  if (snapshot.subscriptionId) await lock(tx, scope, 'subscription', snapshot.subscriptionId);
  await lock(tx, scope, 'invoice', snapshot.id);
  const row = await findInvoice(tx, scope, snapshot.id);
  const newest = row ? newestOf(row, { snapshot, moment }, answer) : snapshot;
  if (!newest) return;
  const subscription = newest.subscriptionId ? await findByProcessorId(tx, scope, newest.subscriptionId) : null;
  const columns = {
    ...stateOf(newest, row?.status),
    subscriptionId: subscription?.id ?? null,
    asOf: moment.at,
    asOfRank: moment.rank,
    asOfEvent: moment.eventId,
  };
  if (row) {
    markChanged(tx.assign(row, columns));
    return;
  }
  tx.create(Invoice, {
    id: InvoiceId.create(),
    teamId: scope.teamId,
    projectId: scope.projectId,
    processorInvoiceId: snapshot.id,
    customerId,
    ...columns,
    version: 1,
    createdAt: snapshot.createdAt,
    updatedAt: new Date(),
  });
}

/** Counts a change of an invoice. The caller has changed it. */
export function markChanged(invoice: Invoice): void {
  invoice.version += 1;
  invoice.updatedAt = new Date();
}

/** What is to be kept of a known invoice after an event; null when the event brings nothing. */
function newestOf(row: Invoice, event: InvoiceEvent, answer: InvoiceAnswer | null): InvoiceSnapshot | null {
  const isDoubtful = raisesDoubt(row, event);
  if (isDoubtful && answer?.overVersion !== row.version)
    throw unavailable('The invoice changed while it was looked at.');
  if (!isDoubtful || !answer || answer.snapshot === 'missing')
    return supersedes(sightingOf(row, event), knownOf(row)) ? event.snapshot : null;
  const state = stateOf(answer.snapshot, row.status);
  return mayBecome(row.status, state.status) && !holds(row, state) ? answer.snapshot : null;
}

const raisesDoubt = (row: Invoice, event: InvoiceEvent): boolean =>
  inDoubt(sightingOf(row, event), knownOf(row)) && !holds(row, stateOf(event.snapshot, row.status));

function sightingOf(row: Invoice, { snapshot, moment }: InvoiceEvent): InvoiceSighting {
  return { status: snapshot.status ?? row.status, amountPaid: snapshot.amountPaid, moment };
}

function knownOf({ status, amountPaid, asOf, asOfRank, asOfEvent }: Invoice): InvoiceSighting {
  return { status, amountPaid, moment: { at: asOf, rank: asOfRank, eventId: asOfEvent } };
}

type InvoiceState = ReturnType<typeof stateOf>;

const holds = (row: Invoice, state: InvoiceState): boolean =>
  Object.entries(state).every(([column, value]) => isDeepStrictEqual(row[column as keyof InvoiceState] ?? null, value)); // its own keys

/** @throws Error for a status nobody knows while no status is `known` */
function stateOf(snapshot: InvoiceSnapshot, known: InvoiceStatus | undefined) {
  const status = snapshot.status ?? known;
  if (!status) throw new Error(`Invoice ${snapshot.id} has a status that this service does not know yet.`);
  const { number, amountDue, amountPaid, amountRemaining, currency, billingReason } = snapshot;
  const { periodStart, periodEnd, dueDate, paidAt } = snapshot;
  return {
    processorSubscriptionId: snapshot.subscriptionId,
    number,
    status,
    amountDue,
    amountPaid,
    amountRemaining,
    currency,
    billingReason,
    hostedInvoiceUrl: snapshot.hostedInvoiceUrl,
    invoicePdfUrl: snapshot.invoicePdfUrl,
    periodStart,
    periodEnd,
    dueDate,
    paidAt,
  };
}

function findInvoice(em: EntityManager, { teamId, projectId }: ProjectScope, processorInvoiceId: string) {
  return em.findOne(Invoice, { teamId, projectId, processorInvoiceId });
}
