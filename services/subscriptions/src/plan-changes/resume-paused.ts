import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SubscriptionId, type ProjectScope } from '@billing/contracts/ids';
import { Problem, unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { BILLING_CYCLES } from '@billing/contracts/resources/plan-change';
import type { SubscriptionResume } from '@billing/contracts/resources/subscription-pause';
import { paymentFailureOf, type PaymentFailure } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { findInvoiceOfOperation } from '#money/invoice-rows';
import type { Invoice } from '#money/invoice.entity';
import { voidIfOpen } from '#money/void-if-open';
import { toObject } from '#record/change-at-processor';
import { notPaused } from '#record/pause-collection';
import { enqueueIfOverdue, findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import { requireRunning } from '#record/subscription.rules';
import type { Dependencies } from '../dependencies.ts';
import { amountsOf } from './preview.rules.ts';
import { saveChange } from './save.ts';
import { readChanged, type ChangedAtProcessor } from './send.ts';

const input = z.object({
  subscriptionId: SubscriptionId.schema,
  processorSubscriptionId: z.string(),
  billingCycle: z.enum(BILLING_CYCLES),
  expectedAmountDue: z.int().exactOptional(),
  /** The latest invoice before; undefined until that is prepared. */
  invoiceBefore: z.string().nullable().exactOptional(),
});
type Input = z.output<typeof input>;
type Operation = RemoteOperation<Input>;

/** A subscription that goes on, and the invoice of that. */
export interface Resumed {
  readonly subscription: Subscription;
  readonly invoice: Invoice | null;
}

/**
 * Resumes a subscription that is paused because its trial ended without a payment method. The processor leaves it paused, with an
 * open invoice, when the payment fails: the invoice is voided then.
 */
export function resumePausedKind({
  processors,
  now,
}: Pick<Dependencies, 'processors' | 'now'>): OperationKind<WithAudit<Input>, ChangedAtProcessor, Resumed> {
  const save = saveChange({ now });
  const read = (processor: Processor, operation: Operation, reader: EntityManager) =>
    readChanged({ processor, em: reader, now, object: toObject(operation) }, snapshot => {
      const made = invoiceMade(snapshot, operation.input);
      return made === null ? [] : [made];
    });

  return audited<Input, ChangedAtProcessor, Resumed>({
    name: 'resume-paused',
    input,
    async prepare(operation) {
      const processor = await processors.of(operation.teamId);
      const { billingCycle, expectedAmountDue, processorSubscriptionId: id } = operation.input;
      const current = await processor.findSubscription(id);
      requirePaused(current);
      if (expectedAmountDue !== undefined) await requireNoMore(processor, { id, billingCycle, expectedAmountDue });
      return { ...operation.input, invoiceBefore: current.latestInvoiceId };
    },
    async send(processor, operation, reader) {
      const { id } = toObject(operation);
      const { idempotencyKey: key } = operation;
      const restarts = operation.input.billingCycle === 'restart';
      const refusal = await processor.resumeSubscription(id, restarts, key).then(
        () => null,
        (err: unknown) => {
          const failure = paymentFailureOf(err);
          if (failure) return failure;
          throw err;
        },
      );
      await requireResumed(processor, operation, refusal);
      return read(processor, operation, reader);
    },
    async findExisting(processor, operation, reader) {
      const current = await read(processor, operation, reader);
      if (current.reread.snapshot.status !== 'paused') return current;
      const [made] = current.invoices;
      if (!made) return null;
      // Under the key of the call that failed the processor would repeat that.
      const key = `${operation.idempotencyKey}:found:${operation.attempt}`;
      const outcome = await voidIfOpen(processor, made.snapshot.id, key);
      return outcome === 'paid' ? read(processor, operation, reader) : null;
    },
    reread: read,
    async commit(tx, operation, response, publish, cause) {
      const saved = await save(tx, toObject(operation).scope, response, { publish, cause, operationKey: operation.id });
      return saved === 'outdated' ? STALE : saved;
    },
    cancel: (tx, operation) => enqueueIfOverdue(tx, toObject(operation)),
  });
}

/**
 * Checks that a subscription goes on; the invoice of one that does not, because its payment failed, is voided. What the customer
 * pays meanwhile is paid.
 * @throws Problem 422 `payment_failed`
 */
async function requireResumed(
  processor: Processor,
  { input: wanted, idempotencyKey }: Operation,
  refusal: PaymentFailure | null,
): Promise<void> {
  const { status, latestInvoiceId: latest } = await processor.findSubscription(wanted.processorSubscriptionId);
  if (status !== 'paused') return;
  const made = invoiceMade({ latestInvoiceId: latest }, wanted);
  const payment = made === null ? null : await processor.findPendingPayment(made);
  if (made !== null && (await voidIfOpen(processor, made, `${idempotencyKey}:void`)) === 'paid') return;
  const { reason = payment?.reason ?? 'declined', declineCode = null } = refusal ?? {};
  const details = { reason, declineCode } satisfies ProblemDetails['payment_failed'];
  throw unprocessable('payment_failed', 'The payment failed; the subscription is still paused.', details);
}

/** Returns the invoice that a resumption has made; null while that is not known, and when it has made none. */
function invoiceMade(
  { latestInvoiceId: latest }: Pick<SubscriptionSnapshot, 'latestInvoiceId'>,
  { invoiceBefore }: Pick<Input, 'invoiceBefore'>,
): string | null {
  return invoiceBefore === undefined || latest === invoiceBefore ? null : latest;
}

/** Checks that a subscription can be resumed. @throws Problem 422 `subscription_ended`, `not_paused` */
export const requirePaused = ({ status }: SubscriptionSnapshot): void => {
  if (status !== null) requireRunning(status);
  if (status !== 'paused') throw notPaused();
};

/**
 * Checks that no more is due than expected: what is left of a period shrinks from second to second.
 * @throws Problem 409 `amount_changed`
 */
async function requireNoMore(
  processor: Processor,
  {
    id,
    billingCycle,
    expectedAmountDue: expected,
  }: { readonly id: string } & Required<Pick<Input, 'billingCycle' | 'expectedAmountDue'>>,
): Promise<void> {
  const invoice = await processor.previewResumption(id, billingCycle === 'restart');
  const { amountDue: actual } = amountsOf(invoice, true);
  if (actual > expected) throw moreIsDue({ expected, actual });
}

export const moreIsDue = (details: ProblemDetails['amount_changed']): Problem =>
  new Problem('conflict', 'amount_changed', 'It costs more than expected; preview it again and show the customer.', {
    details: { ...details },
  });

/**
 * Resumes a subscription with the status `paused`, and charges what is due now. The same operation key is the same resumption.
 * @throws Problem 404 `subscription_not_found`; 422 `subscription_ended`, `not_paused`, `payment_failed`; 409 `amount_changed`,
 * `processor_not_connected`; `processor_error` after another refusal, each with nothing changed; `unavailable` when the processor
 * does not respond, and it may be resumed later
 */
export function resumePaused(dependencies: Pick<Dependencies, 'processors' | 'operationLog' | 'now'>) {
  const { operationLog } = dependencies;
  const kind = resumePausedKind(dependencies);
  return (
    scope: ProjectScope,
    key: SubscriptionKey,
    { billingCycle, expectedAmountDue }: SubscriptionResume,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Resumed> => {
    const { id } = key;
    const find = async (em: EntityManager) => {
      const subscription = await findSubscription(em, scope, key);
      if (subscription.operationKey !== operationKey) return null;
      return { subscription, invoice: await findInvoiceOfOperation(em, scope, { subscriptionId: id, operationKey }) };
    };
    return operationLog.perform(kind, scope, { resourceId: id, operationKey, find }, async tx => {
      const { status, processorSubscriptionId } = await findSubscription(tx, scope, key);
      requireRunning(status);
      const changes = [{ field: 'status', from: status, to: 'active' }];
      const audit = pendingAuditOf(context, { target: { type: 'subscription', id }, changes });
      const expected = expectedAmountDue === undefined ? {} : { expectedAmountDue };
      return { subscriptionId: id, processorSubscriptionId, billingCycle, ...expected, audit };
    });
  };
}
