import { AuditRecorded } from '@billing/contracts/events/audit';
import { AuditEntryId } from '@billing/contracts/ids';
import { auditEntry, type AuditContext, type AuditEntry } from '@billing/contracts/resources/audit-entry';
import type { EventCause } from '@billing/contracts/resources/event';
import { isRefused } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import { z } from 'zod';
import type { Audited } from './audit.ts';
import { derivedId } from './derived-id.ts';
import { causeOfRequest } from './event-causes.ts';

/** An entry whose write the operation log has not finished. */
const pendingAudit = auditEntry.omit({ at: true });
export type PendingAudit = z.output<typeof pendingAudit>;

/** What the log stores besides the input. */
const stored = z.object({ audit: pendingAudit });

/** The input of an operation that a request makes. */
export type WithAudit<Input> = Input & { readonly audit: PendingAudit };

/** Returns the entry that an operation records once it has succeeded. `changes` are those that were requested. */
export const pendingAuditOf = (context: AuditContext, { target, changes }: Audited): PendingAudit => ({
  ...context,
  target,
  outcome: 'succeeded',
  changes: [...changes],
});

/**
 * Returns the entry of an attempt that the processor has refused: it may have changed what others see, as a declined payment does.
 * Null for any other failure: nothing was done, and the caller repeats it. Its id is not that of the write, which may still
 * succeed under the same key.
 */
export function refusedEntryOf(
  error: unknown,
  { id, ...entry }: Omit<PendingAudit, 'outcome' | 'changes'>,
  attempt: number | string,
): AuditEntry | null {
  if (!isRefused(error)) return null;
  const ownId = derivedId(AuditEntryId, `${id}:${attempt}`, 'refused-attempt');
  return { ...entry, id: ownId, outcome: 'refused', changes: [], at: new Date() };
}

interface AuditOptions<Result> {
  /** Whether what is audited does not exist unless the write succeeds. */
  readonly isCreation?: boolean;
  /** Returns the id of what was created, if only the processor gave it one. */
  readonly idOf?: (result: Result) => string;
  /** Whether what the processor returned means that the write was not made. */
  readonly isRefusal?: (result: Result) => boolean;
}

/** A kind of operation whose `commit` is told which request it is part of. */
export interface AuditedKind<Input, Response, Result> extends Omit<OperationKind<Input, Response, Result>, 'commit'> {
  commit(
    tx: EntityManager,
    operation: RemoteOperation<Input>,
    response: Response,
    publish: Publish,
    cause: EventCause,
  ): Promise<Result | typeof STALE>;
}

/** Makes operations of a kind record their entries in the transaction that ends them, whoever finishes them, also refused ones. */
export function audited<Input, Response, Result>(
  kind: AuditedKind<Input, Response, Result>,
  { isCreation = false, idOf, isRefusal = () => false }: AuditOptions<Result> = {},
): OperationKind<WithAudit<Input>, Response, Result> {
  const { prepare, ...others } = kind;
  return {
    ...others,
    ...(prepare && {
      prepare: async (operation, em) => ({ ...(await prepare(operation, em)), audit: operation.input.audit }),
    }),
    input: z.intersection(kind.input, stored),
    async commit(tx, operation, response, publish) {
      const { audit } = operation.input;
      const result = await kind.commit(tx, operation, response, publish, causeOfRequest(audit));
      if (result === STALE || isRefusal(result)) return result;
      const target = audit.target && idOf ? { ...audit.target, id: idOf(result) } : audit.target;
      publish(AuditRecorded, operation.teamId, { ...audit, target, at: new Date() });
      return result;
    },
    async cancel(tx, operation, error, publish) {
      await kind.cancel(tx, operation, error, publish);
      const { audit } = operation.input;
      const attempted = { ...audit, target: isCreation || idOf ? null : audit.target };
      const entry = refusedEntryOf(error, attempted, operation.keyVersion);
      if (entry) publish(AuditRecorded, operation.teamId, entry);
    },
  };
}
