import type { EntityManager } from '@mikro-orm/postgresql';
import { eventCause, type EventCause } from '@billing/contracts/resources/event';
import type { EndedInvoice } from '@billing/contracts/resources/subscription-cancel';
import type { ProjectObject } from '@billing/database/project-objects';
import type { OperationKind, RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import { insertDue, type NewOperation } from '@billing/processor/operation-log/operation-rows';
import type { Processor } from '@billing/processor/port';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { commitInvoice } from './commit-invoice.ts';
import { isFinal } from './invoice.rules.ts';
import type { Invoice } from './invoice.entity.ts';
import { readInvoiceOf, type InvoiceRead } from './read-invoice.ts';
import { voidIfOpen } from './void-if-open.ts';

const input = z.object({ processorInvoiceId: z.string(), cause: eventCause });
type Input = z.output<typeof input>;

const NAME = 'void-left-invoice';

/**
 * Voids an invoice that a canceled subscription has left. A draft is made final first, because the processor deletes none of a
 * subscription; what was paid meanwhile, or has nothing due, stays. Nobody repeats it, so it is tried until it succeeds.
 */
export function voidLeftInvoiceKind({ now }: Pick<Dependencies, 'now'>): OperationKind<Input, InvoiceRead, Invoice> {
  const commit = commitInvoice({ now });
  return {
    name: NAME,
    input,
    mustSucceed: true,
    async send(processor, operation, em) {
      const { id } = toObject(operation);
      const { idempotencyKey: key } = operation;
      await finalizeDraft(processor, id, key);
      await voidIfOpen(processor, id, `${key}:void`);
      return readInvoiceOf(processor, toObject(operation), em);
    },
    async findExisting(processor, operation, em) {
      const current = await readInvoiceOf(processor, toObject(operation), em);
      return current.snapshot.status && isFinal(current.snapshot.status) ? current : null;
    },
    reread: (processor, operation, em) => readInvoiceOf(processor, toObject(operation), em),
    commit: (tx, operation, read, publish) =>
      commit(tx, { ...toObject(operation), operationKey: operation.id, read }, publish, operation.input.cause),
    cancel: async () => undefined,
  };
}

/** Makes a draft final, so that it can be voided; it is not collected by itself. One that is no draft stays as it is. */
export async function finalizeDraft(
  processor: Pick<Processor, 'findInvoice' | 'finalizeInvoice'>,
  id: string,
  idempotencyKey: string,
): Promise<void> {
  const { status } = await processor.findInvoice(id);
  if (status === 'draft') await processor.finalizeInvoice(id, false, `${idempotencyKey}:finalize`);
}

/** Invoices that an operation leaves to be voided. */
interface LeftInvoices extends Pick<RemoteOperation, 'id' | 'teamId' | 'projectId'> {
  readonly processorInvoiceIds: readonly string[];
  readonly cause: EventCause;
}

/** Enqueues what voids the invoices that an operation leaves, an operation each. Returns their resources. */
export async function enqueueVoiding(
  tx: EntityManager,
  { id, teamId, projectId, processorInvoiceIds, cause }: LeftInvoices,
): Promise<readonly string[]> {
  const operations = processorInvoiceIds.map((processorInvoiceId): NewOperation => {
    // No turn of the invoice: it may be taken, and whichever change comes second finds out what the first has done.
    const key = `${id}:void:${processorInvoiceId}`;
    return { key, kind: NAME, teamId, projectId, resourceId: key, input: { processorInvoiceId, cause } };
  });
  await insertDue(tx, operations);
  return operations.map(({ resourceId }) => resourceId);
}

/** Returns what became of an invoice that was to be voided. */
export const toEndedInvoice = ({ id, status }: Invoice): EndedInvoice => ({
  id,
  outcome: status === 'paid' ? 'paid' : 'voided',
});

const toObject = ({ teamId, projectId, input: { processorInvoiceId: id } }: RemoteOperation<Input>): ProjectObject => ({
  scope: { teamId, projectId },
  id,
});
