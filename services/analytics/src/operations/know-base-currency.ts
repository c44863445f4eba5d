import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Project } from '#persistence/project.entity.ts';
import { keepBaseCurrency } from '#persistence/projects.ts';

/** What a project's revenue is told in when nobody knows better. */
const DEFAULT_CURRENCY = 'usd';

/**
 * The base currency of a project as its facts told it, or, before the first of them, as the gateway does.
 * @throws Problem 503 when it is not known yet and the gateway does not answer
 */
export function knowBaseCurrency(em: EntityManager, rpc: RpcClient) {
  return async (scope: ProjectScope, known: Project | null): Promise<string> => {
    if (known?.baseCurrency) return known.baseCurrency;
    const project = await rpc.call(FindProject, { ...scope });
    if (!project) return DEFAULT_CURRENCY;
    await keepBaseCurrency(em.fork(), scope, project.baseCurrency);
    return project.baseCurrency;
  };
}
