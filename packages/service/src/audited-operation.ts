import { AuditRecorded } from '@billing/contracts/events/audit';
import { auditEntry, type AuditContext } from '@billing/contracts/resources/audit-entry';
import type { EventCause } from '@billing/contracts/resources/event';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import { z } from 'zod';
import type { Audited } from './audit.ts';
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

interface AuditOptions<Result> {
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

/** Makes operations of a kind record their entries in the transaction that ends them, whoever finishes them. */
export function audited<Input, Response, Result>(
  kind: AuditedKind<Input, Response, Result>,
  { idOf, isRefusal = () => false }: AuditOptions<Result> = {},
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
  };
}
