import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { saveBaseCurrency, type ProjectHead } from '#persistence/projects.ts';

/** The base currency of a project that does not exist at the gateway. */
const DEFAULT_CURRENCY = 'usd';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
}

/**
 * Finds a project's base currency: the one stored from its events, or the gateway's before the first event arrives.
 * @throws Problem 503 when no event has named it and the gateway does not reply
 */
export function findBaseCurrency({ em, rpc }: Dependencies) {
  return async (scope: ProjectScope, stored: Pick<ProjectHead, 'baseCurrency'> | null): Promise<string> => {
    if (stored?.baseCurrency) return stored.baseCurrency;
    const project = await rpc.call(FindProject, { ...scope });
    if (!project) return DEFAULT_CURRENCY;
    await saveBaseCurrency(em.fork(), scope, project.baseCurrency);
    return project.baseCurrency;
  };
}
