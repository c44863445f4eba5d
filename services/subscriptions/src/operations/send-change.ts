import type { SubscriptionChangeId } from '@billing/contracts/ids';
import { changedMeanwhile } from '@billing/contracts/problem';
import { isRefused, paymentFailureOf } from '@billing/processor/errors';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { invoicesOf, outcomeOf } from '#domain/made-change.ts';
import type { PlannedChange } from './planned-change.ts';
import { readWith } from './read-subscription.ts';
import { redeemedBy, scheduleChange, settleAfterChange } from './schedule-change.ts';
import { readInvoices, type ChangedAtProcessor, type Reader } from './save-change.ts';

interface SentChange extends PlannedChange {
  readonly changeId: SubscriptionChangeId;
  readonly idempotencyKey: string;
}

/**
 * Makes a planned change at the processor; one that shows there already is not made again. A change that waits for its payment is
 * voided first. After a payment that failed for good nothing is left of it, no open invoice either. A change that is scheduled
 * gives way to another plan, and follows another quantity, once that has applied.
 * @throws ProcessorError after a refusal
 */
export async function sendChange(place: Reader, sent: SentChange): Promise<ChangedAtProcessor> {
  const { processor, em, now, object } = place;
  const before = await readWith({ processor, em: em.fork(), now }, object);
  const isShown = sent.isMarked && outcomeOf(before.snapshot, sent) !== null;
  const write = { scope: object.scope, key: sent.idempotencyKey };
  const make = async () => {
    await voidPending(processor, before.snapshot, sent);
    return sent.when === 'now'
      ? changeNow(processor, before.snapshot, sent)
      : scheduleChange(processor, before.snapshot, sent, write);
  };
  const made = isShown ? before.snapshot : await make();
  const isApplied = outcomeOf(made, sent) === 'applied';
  const snapshot = isApplied ? await settleAfterChange(processor, made, write, redeemedBy(sent.change)) : made;
  const invoices = await readInvoices(place, invoicesOf(snapshot, sent));
  return { reread: { snapshot, revision: before.revision, readAt: now() }, invoices };
}

/** Voids the invoice of another change that waits for it. */
async function voidPending(processor: Processor, before: SubscriptionSnapshot, sent: SentChange): Promise<void> {
  const { pendingUpdate, latestInvoiceId } = before;
  const waits = pendingUpdate !== null && outcomeOf(before, sent) === null;
  if (!waits || latestInvoiceId === null) return;
  const status = await voidIfOpen(processor, latestInvoiceId, `${sent.idempotencyKey}:void`);
  if (status === 'paid') throw changedMeanwhile();
}

async function changeNow(
  processor: Processor,
  { id, latestInvoiceId }: SubscriptionSnapshot,
  sent: SentChange,
): Promise<SubscriptionSnapshot> {
  const { changeId, change, paymentBehavior, isMarked, idempotencyKey } = sent;
  const metadata = isMarked ? { metadata: { changeId } } : {};
  try {
    return await processor.changeSubscription(id, { ...change, paymentBehavior, ...metadata }, idempotencyKey);
  } catch (err) {
    if (paymentFailureOf(err)) await dropLeftInvoice(processor, { id, latestInvoiceId }, idempotencyKey);
    throw err;
  }
}

/** Voids the invoice of a change whose payment failed, if the processor has left it open; never that of a renewal meanwhile. */
async function dropLeftInvoice(
  processor: Processor,
  { id, latestInvoiceId: before }: Pick<SubscriptionSnapshot, 'id' | 'latestInvoiceId'>,
  idempotencyKey: string,
): Promise<void> {
  const { latestInvoiceId: latest } = await processor.findSubscription(id);
  if (latest === null || latest === before) return;
  const { billingReason } = await processor.findInvoice(latest);
  if (billingReason === 'subscription_update') await voidIfOpen(processor, latest, `${idempotencyKey}:left`);
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
    if (!isRefused(err)) throw err;
    const { status } = await processor.findInvoice(invoiceId);
    if (status === 'paid' || status === 'void') return status;
    throw err;
  }
}
