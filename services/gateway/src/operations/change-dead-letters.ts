import type { TeamId } from '@billing/contracts/ids';
import { conflict } from '@billing/contracts/problem';
import { parseDeadLetterId } from '@billing/contracts/resources/dead-letter';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { deadLetterCalls } from '@billing/contracts/rpc/dead-letters';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { audit } from '#persistence/insert-audit-entries.ts';
import { findDeadLetter } from './find-dead-letter.ts';
import { servicesOf, type DeadLetterFilters } from './list-dead-letters.ts';

interface Dependencies {
  readonly rpc: RpcClient;
  readonly outbox: Outbox;
}

/** There may be thousands of letters, in milliseconds. */
const CHANGE_TIMEOUT_MS = 10_000;

/** A call of each service that changes dead letters, and records it in the audit log. */
type Change = 'retry' | 'drop';

/**
 * Has a dead letter handled once more; nothing changes for one that is being retried.
 * @throws Problem 404 `dead_letter_not_found`; 503 when its service does not respond
 */
export function retryDeadLetter(dependencies: Dependencies) {
  const find = findDeadLetter(dependencies);
  return async (teamId: TeamId, id: string, context: AuditContext): Promise<void> => {
    if ((await changeOne(dependencies, 'retry', teamId, id, context)) === 1) return;
    await find(teamId, id);
    await recordNothing(dependencies, teamId, context, { type: 'dead_letter', id });
  };
}

/**
 * Deletes a dead letter for good.
 * @throws Problem 404 `dead_letter_not_found`; 409 `dead_letter_retrying`; 503 when its service does not respond
 */
export function dropDeadLetter(dependencies: Dependencies) {
  const find = findDeadLetter(dependencies);
  return async (teamId: TeamId, id: string, context: AuditContext): Promise<void> => {
    if ((await changeOne(dependencies, 'drop', teamId, id, context)) === 1) return;
    await find(teamId, id);
    throw conflict(
      'dead_letter_retrying',
      'The dead letter is being retried; wait until it is handled or has failed.',
      5,
    );
  };
}

/**
 * Retries or drops the dead letters of a team that match, and returns how many. A repeat goes on where a service did not
 * respond.
 * @throws Problem 503 when a service does not respond; others may have done their part
 */
export function changeDeadLetters(dependencies: Dependencies, change: Change) {
  return async (teamId: TeamId, filters: DeadLetterFilters, context: AuditContext): Promise<number> => {
    const { service: _service, ...filter } = filters;
    const counts = await Promise.all(
      servicesOf(filters).map(of =>
        dependencies.rpc.call(deadLetterCalls[of][change], { teamId, ...filter, audit: context }, CHANGE_TIMEOUT_MS),
      ),
    );
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    if (total === 0) await recordNothing(dependencies, teamId, context, { type: 'team', id: teamId });
    return total;
  };
}

async function changeOne({ rpc }: Dependencies, change: Change, teamId: TeamId, id: string, context: AuditContext) {
  const { service } = parseDeadLetterId(id);
  const { count } = await rpc.call(deadLetterCalls[service][change], { teamId, id, audit: context });
  return count;
}

/** The services record what they change; that there was nothing to change stands here. */
const recordNothing = (
  { outbox }: Dependencies,
  teamId: TeamId,
  context: AuditContext,
  target: Parameters<typeof audit>[3]['target'],
): Promise<void> => outbox.transaction(tx => audit(tx, teamId, context, { target, changes: [] }));
