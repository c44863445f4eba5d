import type { TeamId } from '@billing/contracts/ids';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import type { Page } from '@billing/contracts/pagination';
import type { DeadLetter } from '@billing/contracts/resources/dead-letter';
import { deadLetterCalls, MAX_LISTED } from '@billing/contracts/rpc/dead-letters';
import type { RpcClient } from '@billing/messaging/rpc';

/** Which dead letters of a team; all unless given. */
export interface DeadLetterFilters {
  readonly service?: ServiceName | undefined;
  readonly consumer?: string | undefined;
  readonly type?: string | undefined;
}

/** Returns the services to ask for the dead letters that match. */
export const servicesOf = ({ service }: DeadLetterFilters): readonly ServiceName[] => (service ? [service] : SERVICES);

/**
 * Lists a page of a team's dead letters of all services, newest first, and returns how many match in all.
 * @throws Problem 503 when a service does not respond
 */
export function listDeadLetters({ rpc }: { readonly rpc: RpcClient }) {
  return async (
    teamId: TeamId,
    { limit, offset, service, ...filter }: Page & DeadLetterFilters,
  ): Promise<[DeadLetter[], number]> => {
    const pageOf = (of: ServiceName, from: number) => {
      const size = Math.min(MAX_LISTED, offset + limit - from);
      return rpc.call(deadLetterCalls[of].list, { teamId, ...filter, limit: size, offset: from });
    };
    const firsts = await Promise.all(servicesOf({ service }).map(async of => ({ of, ...(await pageOf(of, 0)) })));
    const sum = firsts.reduce((total, first) => total + first.total, 0);
    if (offset >= sum) return [[], sum];
    /** The newest ones of a service, as many as may stand before the end of the page. */
    const lists = firsts.map(async ({ of, deadLetters: newest, total }) => {
      while (newest.length < Math.min(total, offset + limit)) {
        const { deadLetters } = await pageOf(of, newest.length);
        if (deadLetters.length === 0) break;
        newest.push(...deadLetters);
      }
      return newest;
    });
    const merged = (await Promise.all(lists)).flat().toSorted((a, b) => b.failedAt.getTime() - a.failedAt.getTime());
    return [merged.slice(offset, offset + limit), sum];
  };
}
