import { AuditRecorded } from '@billing/contracts/events/audit';
import { auditEntry, type AuditContext } from '@billing/contracts/resources/audit-entry';
import { STALE, type OperationKind } from '@billing/processor/operation-log/operation-kind';
import { z } from 'zod';
import type { Audited } from './audit.ts';

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

/** Makes operations of a kind record their entries in the transaction that ends them, whoever finishes them. */
export function audited<Input, Response, Result>(
  kind: Omit<OperationKind<Input, Response, Result>, 'prepare'>,
  { idOf, isRefusal = () => false }: AuditOptions<Result> = {},
): OperationKind<WithAudit<Input>, Response, Result> {
  return {
    ...kind,
    input: z.intersection(kind.input, stored),
    async commit(tx, operation, response, publish) {
      const result = await kind.commit(tx, operation, response, publish);
      const { audit } = operation.input;
      if (result === STALE || isRefusal(result)) return result;
      const target = audit.target && idOf ? { ...audit.target, id: idOf(result) } : audit.target;
      publish(AuditRecorded, operation.teamId, { ...audit, target, at: new Date() });
      return result;
    },
  };
}
