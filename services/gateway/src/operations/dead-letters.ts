import type { TeamId } from '@billing/contracts/ids';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { skipped, toPage, type Page, type Pagination } from '@billing/contracts/pagination';
import { conflict, notFound } from '@billing/contracts/problem';
import { parseDeadLetterId, type DeadLetter, type DeadLetterWithData } from '@billing/contracts/resources/dead-letter';
import { markList, placeBefore } from '@billing/database/cursors';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { deadLetterCalls, MAX_LISTED } from '@billing/contracts/rpc/dead-letters';
import { audit } from '#persistence/insert-audit-entries.ts';
import type { OperationDependencies } from './dependencies.ts';

/** There may be thousands of letters, in milliseconds. */
const CHANGE_TIMEOUT_MS = 10_000;

/** A call of each service that changes dead letters, and records it in the audit log. */
type Change = 'retry' | 'drop';

/** Which dead letters of a team; all unless given. */
interface DeadLetterFilters {
  readonly service?: ServiceName | undefined;
  readonly consumer?: string | undefined;
  readonly type?: string | undefined;
}

/** Returns the services to ask for the dead letters that match. */
const servicesOf = ({ service }: DeadLetterFilters): readonly ServiceName[] => (service ? [service] : SERVICES);

/**
 * Lists a page of a team's dead letters of all services, newest first.
 * @throws Problem 503 when a service does not respond
 */
export function listDeadLetters({ rpc }: OperationDependencies) {
  return async (
    teamId: TeamId,
    { limit, offset, cursor, service, ...filter }: Page & DeadLetterFilters,
  ): Promise<[DeadLetter[], Pagination]> => {
    const page = { limit, offset, cursor };
    const start = skipped(page);
    const end = start + limit + 1;
    const list = markList(page, 'dead_letters', { teamId });
    const place = placeBefore(page);
    const after = place ? { at: new Date(place.at), id: place.id } : undefined;
    const pageOf = (of: ServiceName, from: number) => {
      const size = Math.min(MAX_LISTED, end - from);
      return rpc.call(deadLetterCalls[of].list, { teamId, ...filter, after, limit: size, offset: from });
    };
    const firsts = await Promise.all(servicesOf({ service }).map(async of => ({ of, ...(await pageOf(of, 0)) })));
    const total = firsts.reduce((sum, first) => sum + first.total, 0);
    /** The newest ones of a service, as many as may stand before the end of the page. */
    const lists = firsts.map(async ({ of, deadLetters: newest, total: ofService }) => {
      if (start >= total) return [];
      while (newest.length < Math.min(ofService, end)) {
        const { deadLetters } = await pageOf(of, newest.length);
        if (deadLetters.length === 0) break;
        newest.push(...deadLetters);
      }
      return newest;
    });
    const merged = (await Promise.all(lists)).flat().toSorted(inOrder).slice(start, end);
    return toPage(page, merged, total, ({ failedAt, id }) => ({ list, at: failedAt.toISOString(), ids: [id] }));
  };
}

/** Newest first; those of one time by id. */
const inOrder = (one: DeadLetter, other: DeadLetter): number =>
  other.failedAt.getTime() - one.failedAt.getTime() || (one.id < other.id ? -1 : 1);

/**
 * Finds a dead letter of the team in the service that its id names.
 * @throws Problem 404 `dead_letter_not_found`; 503 when the service does not respond
 */
export function findDeadLetter({ rpc }: OperationDependencies) {
  return async (teamId: TeamId, id: string): Promise<DeadLetterWithData> => {
    const { service } = parseDeadLetterId(id);
    const letter = await rpc.call(deadLetterCalls[service].find, { teamId, id });
    if (!letter) throw notFound('dead_letter');
    return letter;
  };
}

/**
 * Has a dead letter handled once more; nothing changes for one that is being retried.
 * @throws Problem 404 `dead_letter_not_found`; 503 when its service does not respond
 */
export function retryDeadLetter(dependencies: OperationDependencies) {
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
export function dropDeadLetter(dependencies: OperationDependencies) {
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
export function changeDeadLetters(dependencies: OperationDependencies, change: Change) {
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

async function changeOne(
  { rpc }: OperationDependencies,
  change: Change,
  teamId: TeamId,
  id: string,
  context: AuditContext,
) {
  const { service } = parseDeadLetterId(id);
  const { count } = await rpc.call(deadLetterCalls[service][change], { teamId, id, audit: context });
  return count;
}

/** The services record what they change; that there was nothing to change stands here. */
const recordNothing = (
  { outbox }: OperationDependencies,
  teamId: TeamId,
  context: AuditContext,
  target: Parameters<typeof audit>[3]['target'],
): Promise<void> => outbox.transaction(tx => audit(tx, teamId, context, { target, changes: [] }));
