import type { ProjectScope } from '@billing/contracts/ids';
import { notFound, Problem, unavailable } from '@billing/contracts/problem';
import type { AuditChange, AuditContext } from '@billing/contracts/resources/audit-entry';
import { cancellation, cancellationOf, type Cancellation } from '@billing/contracts/resources/cancellation';
import { hasEnded } from '@billing/contracts/resources/subscription';
import {
  OPEN_INVOICE_CHOICES,
  type EndedInvoice,
  type SubscriptionCancel,
} from '@billing/contracts/resources/subscription-cancel';
import { scopedKey } from '@billing/database/project-objects';
import { isMissing, isRefused } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { changesOf, changesWithin } from '@billing/service/audit';
import { audited, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { invoiceRows } from '#money/invoice-rows';
import { enqueueVoiding, finalizeDraft, toEndedInvoice } from '#money/void-left-invoice';
import type { Dependencies } from '../dependencies.ts';
import type { Reread } from './observation.rules.ts';
import type { SubscriptionKey } from './subscription-rows.ts';
import type { Subscription } from './subscription.entity.ts';
import { changeAtProcessor, changeInput, plainChangeKind } from './change-at-processor.ts';

const input = changeInput.extend({
  cancellation: cancellation.nullable(),
  prorate: z.boolean().default(false),
  invoiceNow: z.boolean().default(false),
  openInvoices: z.enum(OPEN_INVOICE_CHOICES).default('keep'),
  /** The processor's ids of the invoices that are voided afterwards; none until that is prepared. */
  leftInvoiceIds: z.array(z.string()).default([]),
});
type Input = z.output<typeof input>;

/** A subscription that was canceled, and the invoices that are being voided. */
interface Canceled {
  readonly subscription: Subscription;
  readonly left: readonly { readonly processorInvoiceId: string; readonly resourceId: string }[];
}

/**
 * Cancels a subscription at the processor at once. Which invoices it leaves is found out before, so that the final one is not among
 * them, and drafts are made final; what voids them, an operation for each, is enqueued as the cancellation is saved.
 */
export function cancelNowKind({
  processors,
  now,
}: Pick<Dependencies, 'processors' | 'now'>): OperationKind<WithAudit<Input>, Reread, Canceled> {
  const isDone = ({ status }: SubscriptionSnapshot) => status !== null && hasEnded(status);
  const change = plainChangeKind<Input>(
    { name: 'cancel-now', input, send: (processor, operation) => cancelOnce(processor, operation, isDone), isDone },
    { now },
  );
  return audited<Input, Reread, Canceled>({
    ...change,
    async prepare({ teamId, input: wanted }) {
      if (wanted.openInvoices === 'keep') return wanted;
      const processor = await processors.of(teamId);
      return { ...wanted, leftInvoiceIds: await processor.listUnfinishedInvoices(wanted.processorSubscriptionId) };
    },
    async commit(tx, operation, response, publish, cause) {
      const subscription = await change.commit(tx, operation, response, publish, cause);
      if (subscription === STALE) return STALE;
      const { leftInvoiceIds: processorInvoiceIds } = operation.input;
      const resources = await enqueueVoiding(tx, { ...operation, processorInvoiceIds, cause });
      const left = processorInvoiceIds.map((processorInvoiceId, index) => ({
        processorInvoiceId,
        resourceId: resources[index] ?? '',
      }));
      return { subscription, left };
    },
  });
}

/** Cancels once: the processor takes no idempotency key here, and a repeat finds the subscription ended. */
async function cancelOnce(
  processor: Processor,
  { input: wanted, idempotencyKey, attempt }: RemoteOperation<Input>,
  isDone: (snapshot: SubscriptionSnapshot) => boolean,
): Promise<SubscriptionSnapshot> {
  const { processorSubscriptionId: id, cancellation: details, prorate, invoiceNow } = wanted;
  // Before there is a credit, which a draft would use up as it is made final, and could then be paid by it.
  for (const invoiceId of wanted.leftInvoiceIds)
    await finalizeDraft(processor, invoiceId, `${idempotencyKey}:${invoiceId}`).catch(ignoreRefusal);
  const mayBeOurs = attempt > 1 || !isDone(await processor.findSubscription(id));
  try {
    return await processor.cancelSubscription(id, idempotencyKey, details, { prorate, invoiceNow });
  } catch (err) {
    if (!isMissing(err) || !mayBeOurs) throw err;
    const current = await processor.findSubscription(id);
    if (!isDone(current)) throw err;
    return current;
  }
}

/** What the processor refuses of an invoice does not keep the subscription from ending. */
function ignoreRefusal(error: unknown): void {
  if (!isRefused(error)) throw error;
}

/** The reason and comment of a cancellation, for the audit log: a comment may have personal data. */
export const detailChanges = (
  { cancellation: before }: Subscription,
  details: Cancellation | null,
): readonly AuditChange[] => (details ? changesWithin('cancellation', changesOf(before, details, ['comment'])) : []);

/** What is done beside the cancellation, for the audit log. */
const billingChanges = ({ prorate, invoiceNow, openInvoices }: SubscriptionCancel): readonly AuditChange[] =>
  changesOf({ prorate: false, invoiceNow: false, openInvoices: 'keep' }, { prorate, invoiceNow, openInvoices });

/** 404 for a subscription that has ended, or does not exist. */
export const nothingToCancel = () =>
  notFound('subscription', 'The subscription has ended; there is nothing to cancel.');

/**
 * Cancels at once, which can't be taken back. Without a reason and a comment the details that there are stay. Returns the
 * invoices that were to be voided, of which each is, or was paid.
 * @throws Problem what `changeAtProcessor` throws, but 404 `subscription_not_found` for one that has ended; `unavailable` or
 * `processor_error`, too, when it is canceled and an invoice could not be voided yet, which is done later
 */
export function cancelNow(dependencies: Pick<Dependencies, 'em' | 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const { operationLog } = dependencies;
  const change = changeAtProcessor(dependencies);
  const kind = cancelNowKind(dependencies);
  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    wanted: SubscriptionCancel,
    context: AuditContext,
  ): Promise<{ subscription: Subscription; invoices: readonly EndedInvoice[] }> => {
    const { prorate, invoiceNow, openInvoices } = wanted;
    const details = cancellationOf(wanted);
    const { subscription, left } = await change(kind, scope, key, {
      toInput: common => ({ ...common, cancellation: details, prorate, invoiceNow, openInvoices, leftInvoiceIds: [] }),
      changesOf: current => [
        { field: 'status', from: current.status, to: 'canceled' },
        ...detailChanges(current, details),
        ...billingChanges(wanted),
      ],
      context,
    }).catch((err: unknown) => {
      throw err instanceof Problem && err.code === 'subscription_ended' ? nothingToCancel() : err;
    });
    const invoices: EndedInvoice[] = [];
    for (const { processorInvoiceId: id, resourceId } of left) {
      const object = { scope, id };
      const row = await operationLog.runExclusively(resourceId, async tx =>
        (await invoiceRows.find(tx, [object])).get(scopedKey(object)),
      );
      if (!row || (row.status !== 'paid' && row.status !== 'void')) throw notVoided();
      invoices.push(toEndedInvoice(row));
    }
    return { subscription, invoices };
  };
}

const notVoided = () => unavailable('The subscription is canceled; an invoice of it could not be voided.');
