import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { PaymentId, ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { AuditChange, AuditContext } from '@billing/contracts/resources/audit-entry';
import { REFUND_REASONS, type paymentRefund } from '@billing/contracts/resources/payment';
import { scopedKey } from '@billing/database/project-objects';
import { isRefused } from '@billing/processor/errors';
import type { RefundedPayment } from '@billing/processor/port';
import type { RefundSnapshot } from '@billing/processor/snapshots/payments';
import { audited, pendingAuditOf, type AuditedKind } from '@billing/service/audited-operation';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { observedRefund } from './payment-observations.rules.ts';
import { termsOf } from './payment.rules.ts';
import { requireRefundable } from './refund.rules.ts';
import { findPayment, paymentRows } from './payment-rows.ts';
import type { Payment } from './payment.entity.ts';
import { applyPaymentEvents, readPaymentOf, type PaymentEvent } from './apply-payment-events.ts';

type Wanted = Partial<z.output<typeof paymentRefund>>;

const input = z.object({
  /** The payment intent, or a charge without one. */
  processorId: z.string(),
  paymentIntentId: z.string().nullable(),
  amount: z.int().exactOptional(),
  reason: z.enum(REFUND_REASONS).exactOptional(),
});
type Input = z.output<typeof input>;

/** Refunds a payment at the processor; what that returns is applied as the event about it would be. */
export function refundPaymentKind({ now }: Pick<Dependencies, 'now'>) {
  const apply = applyPaymentEvents({ now });
  const kind: AuditedKind<Input, RefundSnapshot, Payment> = {
    name: 'refund-payment',
    input,
    send: (processor, { id: operationId, input: { amount, reason, ...payment }, idempotencyKey }) =>
      processor.createRefund(
        refunded(payment),
        { ...(amount !== undefined && { amount }), ...(reason && { reason }), metadata: { operationId } },
        idempotencyKey,
      ),
    findExisting: (processor, { id: operationId, input: payment, createdAt: since }) =>
      processor.findCreatedRefund(refunded(payment), { metadata: { operationId }, since }),
    async commit(tx, { teamId, projectId, input: { processorId, paymentIntentId } }, refund, publish, cause) {
      const scope = { teamId, projectId };
      const at = refund.createdAt ?? now();
      const observations = observedRefund(refund, at);
      await apply(
        tx,
        [{ ...eventOf({ scope, processorId, paymentIntentId }), observations, source: { at, cause } }],
        publish,
      );
      const object = { scope, id: processorId };
      const row = (await paymentRows.find(tx, [object])).get(scopedKey(object));
      if (!row) throw new Error(`The payment ${processorId} has no record.`);
      return row;
    },
    cancel: async () => undefined,
  };
  return audited(kind);
}

/**
 * Refunds all that is left of a payment, or an amount of it. The same operation key is the same refund; refunds of one
 * payment run one at a time.
 * @throws Problem 404 `payment_not_found`; 422 `payment_not_refundable`, `refund_too_large`, also for what only the
 * processor knows; 409 `processor_not_connected`; `processor_error` after another refusal, with nothing refunded;
 * `unavailable` when the processor does not respond, and the refund may be made later
 */
export function refundPayment(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const { outbox, processors, operationLog, now } = dependencies;
  const { em } = outbox;
  const kind = refundPaymentKind({ now });
  const apply = applyPaymentEvents({ now });

  /** Throws, after a refusal, what the processor's state tells: the events of that may not have arrived here. */
  const requireRefundableThere = async (scope: ProjectScope, id: PaymentId, wanted: number | undefined) => {
    const payment = await findPayment(em.fork(), scope, id);
    const { processorId, processorPaymentIntentId: paymentIntentId, processorChargeId: chargeId } = payment;
    if (chargeId === null) return;
    const recorded = payment.observations.charges.find(charge => charge.id === chargeId);
    const processor = await processors.of(scope.teamId);
    // The processor's seconds and ours may differ; what it has follows what is recorded.
    const read = await readPaymentOf(processor, chargeId, new Date(recorded?.at ?? 0)).catch(() => null);
    if (!read) return;
    const { observations, metadata, at } = read;
    const source = { at, cause: FOUND_AT_PROCESSOR };
    const event = { ...eventOf({ scope, processorId, paymentIntentId }), observations, metadata, source };
    await outbox.transaction((tx, publish) => apply(tx, [event], publish));
    requireKnown(await findPayment(em.fork(), scope, id), wanted);
  };

  return async (
    scope: ProjectScope,
    id: PaymentId,
    { amount, reason }: Wanted,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Payment> => {
    await findPayment(em.fork(), scope, id);
    const find = async (reader: EntityManager) => {
      const payment = await findPayment(reader, scope, id);
      return payment.observations.refunds.some(({ operationId }) => operationId === operationKey) ? payment : null;
    };
    try {
      return await operationLog.perform(kind, scope, { resourceId: id, operationKey, find }, async tx => {
        // No lock is needed: refunds take turns, and the processor refuses what is too much.
        const payment = await findPayment(tx, scope, id);
        requireKnown(payment, amount);
        const { processorId, processorPaymentIntentId: paymentIntentId } = payment;
        const audit = pendingAuditOf(context, {
          target: { type: 'payment', id },
          changes: changesOf(payment, { amount, reason }),
        });
        const wanted = { ...(amount !== undefined && { amount }), ...(reason && { reason }) };
        return { processorId, paymentIntentId, ...wanted, audit };
      });
    } catch (err) {
      if (!isRefused(err)) throw err;
      await requireRefundableThere(scope, id, amount);
      if (REFUSED_FOR_GOOD.has(err.processorCode)) throw unprocessable('payment_not_refundable', err.message);
      throw err;
    }
  };
}

/** What Stripe responds where the payment itself can't be refunded. https://docs.stripe.com/error-codes */
const REFUSED_FOR_GOOD: ReadonlySet<string | undefined> = new Set([
  'charge_already_refunded',
  'charge_disputed',
  'charge_not_refundable',
  'refund_disputed_payment',
]);

function requireKnown({ observations }: Payment, wanted: number | undefined): void {
  const terms = termsOf(observations);
  if (terms) requireRefundable(terms, wanted);
}

const refunded = ({ processorId, paymentIntentId }: Pick<Input, 'processorId' | 'paymentIntentId'>): RefundedPayment =>
  paymentIntentId === null ? { chargeId: processorId } : { paymentIntentId };

function changesOf({ amount: whole, amountRefunded: from }: Payment, { amount, reason }: Wanted): AuditChange[] {
  const to = amount === undefined ? whole : from + amount;
  const changes = [{ field: 'amountRefunded', from, to }];
  return reason ? [...changes, { field: 'reason', from: null, to: reason }] : changes;
}

/** An event of a payment that has a record, so that nothing needs to be read for it. */
const eventOf = ({
  scope,
  processorId,
  paymentIntentId,
}: Pick<PaymentEvent, 'scope' | 'processorId' | 'paymentIntentId'>) => ({
  scope,
  processorId,
  paymentIntentId,
  chargeToRead: null,
  metadata: {},
  prepared: undefined,
});
