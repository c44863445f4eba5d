import type { SubscriptionChangeId } from '@billing/contracts/ids';
import { changedMeanwhile } from '@billing/contracts/problem';
import { paymentFailureOf, ProcessorError } from '@billing/processor/errors';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { invoicesOf, outcomeOf } from '#domain/made-change.ts';
import type { PlannedChange } from './planned-change.ts';
import { readWith } from './read-subscription.ts';
import { readInvoices, type ChangedAtProcessor, type Reader } from './save-change.ts';

interface SentChange extends PlannedChange {
  readonly changeId: SubscriptionChangeId;
  readonly idempotencyKey: string;
}

/**
 * Makes a planned change at the processor; one that shows there already is not made again. A change that waits for its payment is
 * voided first. After a payment that failed for good nothing is left of it, no open invoice either.
 * @throws ProcessorError after a refusal
 */
export async function sendChange(place: Reader, sent: SentChange): Promise<ChangedAtProcessor> {
  const { processor, em, now, object } = place;
  if (sent.when === 'period_end') throw new Error('Changes at the end of the period are not made here.');
  const before = await readWith({ processor, em: em.fork(), now }, object);
  const isDone = sent.isMarked && outcomeOf(before.snapshot, sent) !== null;
  const snapshot = isDone ? before.snapshot : await changeNow(processor, before.snapshot, sent);
  const invoices = await readInvoices(place, invoicesOf(snapshot, sent));
  return { reread: { snapshot, revision: before.revision, readAt: now() }, invoices };
}

async function changeNow(
  processor: Processor,
  before: SubscriptionSnapshot,
  sent: SentChange,
): Promise<SubscriptionSnapshot> {
  const { id, pendingUpdate, latestInvoiceId } = before;
  const { changeId, change, paymentBehavior, isMarked, idempotencyKey } = sent;
  const waits = pendingUpdate !== null && outcomeOf(before, sent) === null;
  if (waits && latestInvoiceId !== null) {
    const status = await voidIfOpen(processor, latestInvoiceId, `${idempotencyKey}:void`);
    if (status === 'paid') throw changedMeanwhile();
  }
  const metadata = isMarked ? { metadata: { changeId } } : {};
  try {
    return await processor.changeSubscription(id, { ...change, paymentBehavior, ...metadata }, idempotencyKey);
  } catch (err) {
    if (paymentFailureOf(err)) await dropLeftInvoice(processor, { id, latestInvoiceId }, idempotencyKey);
    throw err;
  }
}

/** Voids the invoice of a change whose payment failed, if the processor has left it open. */
async function dropLeftInvoice(
  processor: Processor,
  { id, latestInvoiceId: before }: Pick<SubscriptionSnapshot, 'id' | 'latestInvoiceId'>,
  idempotencyKey: string,
): Promise<void> {
  const { latestInvoiceId: latest } = await processor.findSubscription(id);
  if (latest !== null && latest !== before) await voidIfOpen(processor, latest, `${idempotencyKey}:left`);
}

/** Voids an invoice unless it was paid or voided meanwhile; returns which. */
export async function voidIfOpen(
  processor: Processor,
  invoiceId: string,
  idempotencyKey: string,
): Promise<'paid' | 'void'> {
  try {
    await processor.voidInvoice(invoiceId, idempotencyKey);
    return 'void';
  } catch (err) {
    if (!(err instanceof ProcessorError) || err.isIndeterminate) throw err;
    const { status } = await processor.findInvoice(invoiceId);
    if (status === 'paid' || status === 'void') return status;
    throw err;
  }
}
