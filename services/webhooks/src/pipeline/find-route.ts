import { ProjectId as ProjectIds, type ProjectId, type TeamId } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { isMissing } from '@billing/processor/errors';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { decideRoute, type Route } from '#domain/route.ts';
import type { PipelineEvent } from './lease.ts';
import type { Routes } from './read-routes.ts';

interface FindRouteParts {
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
}

/** Finds where an event goes with the help of other services; null when its project can't be found. */
export type FindRoute = (event: PipelineEvent, routes: Routes) => Promise<Route | null>;

/**
 * Looks up what the rules need: projects at the gateway, customers at Stripe.
 * @throws Problem `unavailable` when one of them is
 */
export function findRoute({ rpc, processors }: FindRouteParts): FindRoute {
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
          return null;
        case 'needs-project': {
          const { projectId } = decision;
          isOwn.set(projectId, (await rpc.call(FindProject, { teamId, projectId })) !== null);
          break;
        }
        case 'needs-customer':
          customerNames = await findNamedProject(processors, teamId, decision.customerId);
          break;
      }
    }
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
