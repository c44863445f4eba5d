import { AuditEntryId, type TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import type { AuditChange, AuditContext } from '@billing/contracts/resources/audit-entry';
import { deadLetterCalls } from '@billing/contracts/rpc/dead-letters';
import { dropDeadLetters, retryDeadLetters } from '@billing/messaging/change-dead-letters';
import { findDeadLetter, listDeadLetters, type DeadLetterFilter } from '@billing/messaging/find-dead-letters';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from './audit.ts';
import { rpcHandler, type RpcHandler } from './definition.ts';
import { derivedId } from './derived-id.ts';

/** What may be done with dead letters. */
export const DEAD_LETTER_CHANGES = { retry: retryDeadLetters, drop: dropDeadLetters } as const;
export type DeadLetterChange = keyof typeof DEAD_LETTER_CHANGES;

const FIELDS = { retry: 'retried', drop: 'dropped' } as const satisfies Record<DeadLetterChange, string>;

/**
 * Retries or drops dead letters of a service, with an entry in the audit log of each team that had some, in one transaction.
 * Returns how many there were.
 */
export function changeDeadLetters(
  change: DeadLetterChange,
  { service, outbox }: { readonly service: ServiceName; readonly outbox: Outbox },
) {
  return (filter: DeadLetterFilter, auditOf: (teamId: TeamId) => AuditContext): Promise<number> =>
    outbox.transaction(async (tx, publish) => {
      const changed = await DEAD_LETTER_CHANGES[change](tx, service, filter);
      for (const { teamId, count } of changed) {
        const target =
          filter.id === undefined
            ? ({ type: 'team', id: teamId } as const)
            : ({ type: 'dead_letter', id: filter.id } as const);
        recordAudit(publish, teamId, auditOf(teamId), { target, changes: changesOf(change, service, filter, count) });
      }
      return changed.reduce((sum, { count }) => sum + count, 0);
    });
}

function changesOf(
  change: DeadLetterChange,
  service: ServiceName,
  { id, consumer, type }: DeadLetterFilter,
  count: number,
): AuditChange[] {
  const status = { field: 'status', from: 'failed', to: FIELDS[change] };
  if (id !== undefined) return [status];
  const filters = Object.entries({ service, consumer, type }).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, from: value, to: value }],
  );
  return [status, { field: 'count', from: null, to: count }, ...filters];
}

interface HandlerParts {
  readonly service: ServiceName;
  readonly outbox: Outbox;
  /** Called after letters were chosen to be retried. */
  readonly onRetry: () => void;
}

/** Serves a service's own dead letters to the gateway, which knows who may see them. */
export function deadLetterHandlers({ service, outbox, onRetry }: HandlerParts): RpcHandler[] {
  const { list, find, retry, drop } = deadLetterCalls[service];
  const { em } = outbox;
  const changeBy =
    (change: DeadLetterChange) =>
    async ({ audit, ...filter }: DeadLetterFilter & { readonly audit: AuditContext }): Promise<{ count: number }> => {
      // One request may reach several services, and each leaves an entry of its own.
      const id = filter.id === undefined ? derivedId(AuditEntryId, audit.id, service) : audit.id;
      return { count: await changeDeadLetters(change, { service, outbox })(filter, () => ({ ...audit, id })) };
    };
  const retryBy = changeBy('retry');
  return [
    rpcHandler(list, async ({ limit, offset, after, ...filter }) => {
      const [owned, total] = await listDeadLetters(em, service, filter, { limit, offset, after });
      return { deadLetters: owned.map(({ letter }) => letter), total };
    }),
    rpcHandler(find, async filter => (await findDeadLetter(em, service, filter))?.letter ?? null),
    rpcHandler(retry, async request => {
      const retried = await retryBy(request);
      onRetry();
      return retried;
    }),
    rpcHandler(drop, changeBy('drop')),
  ];
}
