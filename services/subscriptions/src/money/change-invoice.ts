import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { InvoiceId, ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { EventCause } from '@billing/contracts/resources/event';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { isRefused, paymentFailureOf } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { positionOfRead, requireOpen, type InvoiceChange } from './invoice.rules.ts';
import { findInvoice, invoiceRows } from './invoice-rows.ts';
import type { Invoice } from './invoice.entity.ts';
import { applyInvoiceEvents, type InvoiceEvent } from './apply-invoice-events.ts';

const input = z.object({
  processorInvoiceId: z.string(),
  /** The record's version before the processor was called. */
  version: z.int(),
});
type Input = z.output<typeof input>;

/** What the processor returned, and the record's version before. */
export interface InvoiceRead {
  readonly snapshot: InvoiceSnapshot;
  readonly version: number;
}

/** How each change is named in the log, and sent. */
const CHANGES = {
  void: {
    name: 'void-invoice',
    send: (processor, id, key) => processor.voidInvoice(id, key),
  },
  uncollectible: {
    name: 'mark-invoice-uncollectible',
    send: (processor, id, key) => processor.markInvoiceUncollectible(id, key),
  },
  paid: {
    name: 'pay-invoice',
    send: (processor, id, key) => processor.payInvoice(id, key),
  },
} as const satisfies Record<
  InvoiceChange,
  { name: string; send: (processor: Processor, id: string, idempotencyKey: string) => Promise<InvoiceSnapshot> }
>;

type ChangeKind = OperationKind<WithAudit<Input>, InvoiceRead, Invoice>;

/** Changes an invoice at the processor; what that returns is applied as an event would be. */
export function changeInvoiceKind(change: InvoiceChange, { now }: Pick<Dependencies, 'now'>): ChangeKind {
  const { name, send } = CHANGES[change];
  const apply = applyInvoiceEvents({ now });
  return audited<Input, InvoiceRead, Invoice>({
    name,
    input,
    async send(processor, { input: { processorInvoiceId, version }, idempotencyKey }) {
      return { snapshot: await send(processor, processorInvoiceId, idempotencyKey), version };
    },
    async commit(tx, operation, response, publish, cause) {
      const object = toObject(operation);
      const unprepared = await apply(tx, [toInvoiceEvent(object.scope, response, { readAt: now(), cause })], publish);
      if (unprepared.length > 0) return STALE;
      const row = (await invoiceRows.find(tx, [object])).get(scopedKey(object));
      if (!row) throw new Error(`The invoice ${object.id} has no record.`);
      row.operationKey = operation.id;
      await invoiceRows.save(tx, [row]);
      return row;
    },
    reread: readInvoice,
    async findExisting(processor, operation, em) {
      const current = await readInvoice(processor, operation, em);
      return current.snapshot.status === change ? current : null;
    },
    cancel: async () => undefined,
  });
}

/**
 * Voids an invoice, marks it as uncollectible, or tries to collect it. The same operation key gives the same result; changes of one invoice
 * run one at a time.
 * @throws Problem 404 `invoice_not_found`; 422 `invoice_not_open`, also for what only the processor knows; 409
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
    // If the record has changed since the read, an event brings what it shows.
    const event = toInvoiceEvent(scope, { snapshot, version }, { readAt: now(), cause: FOUND_AT_PROCESSOR });
    await outbox.transaction((tx, publish) => apply(tx, [event], publish));
    requireOpen(snapshot.status, change);
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
        const { status, processorInvoiceId, version } = await findInvoice(tx, scope, id);
        requireOpen(status, change);
        const changes = [{ field: 'status', from: status, to: change }];
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

const readInvoice = (
  processor: Processor,
  operation: RemoteOperation<Input>,
  em: EntityManager,
): Promise<InvoiceRead> => readInvoiceOf(processor, toObject(operation), em);

/** Reads an invoice at the processor, outside of any transaction. `em` is not shared. */
export async function readInvoiceOf(
  processor: Pick<Processor, 'findInvoice'>,
  object: ProjectObject,
  em: EntityManager,
): Promise<InvoiceRead> {
  const row = (await invoiceRows.find(em, [object])).get(scopedKey(object));
  return { snapshot: await processor.findInvoice(object.id), version: row?.version ?? 0 };
}

/** Returns what was read of an invoice, to be applied as an event would be. */
export const toInvoiceEvent = (
  scope: ProjectScope,
  read: InvoiceRead,
  { readAt, cause }: { readonly readAt: Date; readonly cause: EventCause },
): InvoiceEvent => ({
  scope,
  snapshot: read.snapshot,
  position: positionOfRead(readAt),
  source: { at: readAt, cause },
  processorCustomerId: read.snapshot.customerId ?? '',
  reread: read,
});

const toObject = ({ teamId, projectId, input: { processorInvoiceId: id } }: RemoteOperation<Input>): ProjectObject => ({
  scope: { teamId, projectId },
  id,
});
