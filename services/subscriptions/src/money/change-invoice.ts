import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { InvoiceId, ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';
import type { ProjectObject } from '@billing/database/project-objects';
import { isRefused, paymentFailureOf } from '@billing/processor/errors';
import type { OperationKind, RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { applyInvoiceEvents } from './apply-invoice-events.ts';
import { commitInvoice } from './commit-invoice.ts';
import { requireOpen, type InvoiceChange } from './invoice.rules.ts';
import { findInvoice } from './invoice-rows.ts';
import type { Invoice } from './invoice.entity.ts';
import { readInvoiceOf, toInvoiceEvent, type InvoiceRead } from './read-invoice.ts';

const input = z.object({
  processorInvoiceId: z.string(),
  /** The record's version before the processor was called. */
  version: z.int(),
});
type Input = z.output<typeof input>;

interface Change {
  /** In the log. */
  readonly name: string;
  readonly send: (processor: Processor, id: string, idempotencyKey: string) => Promise<InvoiceSnapshot>;
  /** The status that shows that it was made; null when none does. */
  readonly becomes: InvoiceStatus | null;
}

const CHANGES: Readonly<Record<InvoiceChange, Change>> = {
  void: {
    name: 'void-invoice',
    send: (processor, id, key) => processor.voidInvoice(id, key),
    becomes: 'void',
  },
  uncollectible: {
    name: 'mark-invoice-uncollectible',
    send: (processor, id, key) => processor.markInvoiceUncollectible(id, key),
    becomes: 'uncollectible',
  },
  paid: {
    name: 'pay-invoice',
    send: (processor, id, key) => processor.payInvoice(id, key),
    becomes: 'paid',
  },
  paidElsewhere: {
    name: 'mark-invoice-paid',
    send: (processor, id, key) => processor.markInvoicePaid(id, key),
    becomes: 'paid',
  },
  sent: {
    name: 'send-invoice',
    send: (processor, id, key) => processor.sendInvoice(id, key),
    becomes: null,
  },
};

type ChangeKind = OperationKind<WithAudit<Input>, InvoiceRead, Invoice>;

/** Changes an invoice at the processor; what that returns is applied as an event would be. */
export function changeInvoiceKind(change: InvoiceChange, { now }: Pick<Dependencies, 'now'>): ChangeKind {
  const { name, send, becomes } = CHANGES[change];
  const commit = commitInvoice({ now });
  return audited<Input, InvoiceRead, Invoice>({
    name,
    input,
    async send(processor, { input: { processorInvoiceId, version }, idempotencyKey }) {
      return { snapshot: await send(processor, processorInvoiceId, idempotencyKey), version };
    },
    commit: (tx, operation, read, publish, cause) =>
      commit(tx, { ...toObject(operation), operationKey: operation.id, read }, publish, cause),
    reread: (processor, operation, em) => readInvoiceOf(processor, toObject(operation), em),
    async findExisting(processor, operation, em) {
      const current = await readInvoiceOf(processor, toObject(operation), em);
      return current.snapshot.status === becomes ? current : null;
    },
    cancel: async () => undefined,
  });
}

/**
 * Voids an invoice, marks it as uncollectible or as paid elsewhere, mails it, or tries to collect it. The same operation key gives
 * the same result; changes of one invoice run one at a time.
 * @throws Problem 404 `invoice_not_found`; 422 `invoice_not_open`, `invoice_not_sendable`, also for what only the processor knows; 409
 * `processor_not_connected`; 422 `payment_failed` when the payment was declined; `processor_error` after another refusal, with
 * nothing changed; `unavailable` when the
 * processor does not respond, and the change may be made later
 */
export function changeInvoice(
  change: InvoiceChange,
  dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>,
) {
  const { outbox, processors, operationLog, now } = dependencies;
  const { em } = outbox;
  const kind = changeInvoiceKind(change, { now });
  const apply = applyInvoiceEvents({ now });

  /** Throws, after a refusal, what the processor's state tells: the events of that may not have arrived here. */
  const requireOpenThere = async (scope: ProjectScope, { processorInvoiceId, version }: Invoice) => {
    const processor = await processors.of(scope.teamId);
    const snapshot = await processor.findInvoice(processorInvoiceId).catch(() => null);
    if (!snapshot?.status) return;
    const { status, dueDate } = snapshot;
    // If the record has changed since the read, an event brings what it shows.
    const event = toInvoiceEvent(scope, { snapshot, version }, { readAt: now(), cause: FOUND_AT_PROCESSOR });
    await outbox.transaction((tx, publish) => apply(tx, [event], publish));
    requireOpen({ status, dueDate }, change);
  };

  return async (
    scope: ProjectScope,
    id: InvoiceId,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Invoice> => {
    await findInvoice(em.fork(), scope, id);
    const find = async (reader: EntityManager) => {
      const invoice = await findInvoice(reader, scope, id);
      return invoice.operationKey === operationKey ? invoice : null;
    };
    try {
      return await operationLog.perform(kind, scope, { resourceId: id, operationKey, find }, async tx => {
        // No lock is needed: if the record changes from here on, the processor is read again.
        const { status, dueDate, processorInvoiceId, version } = await findInvoice(tx, scope, id);
        requireOpen({ status, dueDate }, change);
        const { becomes } = CHANGES[change];
        const changes = becomes ? [{ field: 'status', from: status, to: becomes }] : [];
        return {
          processorInvoiceId,
          version,
          audit: pendingAuditOf(context, { target: { type: 'invoice', id }, changes }),
        };
      });
    } catch (err) {
      if (isRefused(err)) await requireOpenThere(scope, await findInvoice(em.fork(), scope, id));
      const failure = paymentFailureOf(err);
      if (!failure) throw err;
      const details = { ...failure } satisfies ProblemDetails['payment_failed'];
      throw unprocessable('payment_failed', 'The payment failed; the invoice is still open.', details);
    }
  };
}

const toObject = ({ teamId, projectId, input: { processorInvoiceId: id } }: RemoteOperation<Input>): ProjectObject => ({
  scope: { teamId, projectId },
  id,
});
