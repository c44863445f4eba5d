import type { EntityManager } from '@mikro-orm/postgresql';
import { ProjectId as ProjectIds, type ProjectId, type TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { isMissing } from '@billing/processor/errors';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { decideRoute, type Route } from '#domain/route.ts';
import { beginLookUp, cancelLookUp, endLookUp } from '#persistence/customer-look-ups.ts';
import type { PipelineEvent } from './lease.ts';
import type { Routes } from './read-routes.ts';

interface FindRouteParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
}

/** Finds where an event goes with the help of other services, or why that can't be found. */
export type FindRoute = (event: PipelineEvent, routes: Routes) => Promise<Route | 'unroutable' | 'foreign'>;

/**
 * Looks up what the rules need: projects at the gateway, customers at Stripe.
 * @throws Problem `unavailable` when one of them is
 */
export function findRoute({ em, rpc, processors }: FindRouteParts): FindRoute {
  const findUnknown = findUnknownCustomer({ em, processors });
  return async ({ teamId, hints }, routes) => {
    const lookup = routes(teamId);
    const isOwn = new Map<ProjectId, boolean>();
    let customerNames: ProjectId | null | undefined;
    for (;;) {
      const decision = decideRoute(hints, {
        ...lookup,
        isOwn: project => lookup.isOwn(project) ?? isOwn.get(project),
        customerNames,
      });
      switch (decision.kind) {
        case 'route':
          return decision.route;
        case 'unroutable':
        case 'foreign':
          return decision.kind;
        case 'needs-project': {
          const { projectId } = decision;
          isOwn.set(projectId, (await rpc.call(FindProject, { teamId, projectId })) !== null);
          break;
        }
        case 'needs-customer':
          customerNames = decision.isShared
            ? await findNamedProject(processors, teamId, decision.customerId)
            : await findUnknown(teamId, decision.customerId);
          break;
      }
    }
  };
}

/**
 * Finds the project that a customer names whom no project of the team has: a flood of its events costs one call an hour, and
 * they wait for it together.
 */
function findUnknownCustomer({ em, processors }: Pick<FindRouteParts, 'em' | 'processors'>) {
  const running = new Map<string, Promise<ProjectId | null>>();

  const lookUp = async (teamId: TeamId, customerId: string): Promise<ProjectId | null> => {
    const customer = { teamId, customerId };
    const begun = await beginLookUp(em, customer);
    if (begun.kind === 'ended') return begun.projectId;
    if (begun.kind === 'running') throw unavailable('Another copy of the service looks the customer up.');
    try {
      const projectId = await findNamedProject(processors, teamId, customerId);
      await endLookUp(em, customer, projectId);
      return projectId;
    } catch (err) {
      await cancelLookUp(em, customer);
      throw err;
    }
  };

  return (teamId: TeamId, customerId: string): Promise<ProjectId | null> => {
    const key = `${teamId} ${customerId}`;
    const shared = running.get(key) ?? lookUp(teamId, customerId).finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  };
}

async function findNamedProject(processors: TeamProcessors, teamId: TeamId, customerId: string) {
  const processor = await processors.of(teamId);
  try {
    const customer = await processor.findCustomer(customerId);
    const named = ProjectIds.schema.safeParse(customer.deleted ? undefined : customer.metadata['projectId']);
    return named.success ? named.data : null;
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
}
