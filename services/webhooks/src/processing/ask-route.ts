import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { ProjectId as ProjectIds } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { isMissing } from '@billing/processor/errors';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { decideRoute, type Decision, type Route } from '#domain/route.ts';
import type { ClaimedEvent } from './claim.ts';
import type { KnownRoutes } from './known-routes.ts';

interface AskRouteParts {
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
}

/**
 * Finds where an event goes, rpc the gateway for projects and the processor for customers as the rules want it;
 * null when nobody knows.
 * @throws Problem `unavailable` when someone who has to be asked is away
 */
export function askRoute({ rpc, processors }: AskRouteParts) {
  return async ({ teamId, hints }: ClaimedEvent, knownRoutes: KnownRoutes): Promise<Route | null> => {
    const known = knownRoutes(teamId);
    const asked = new Map<ProjectId, boolean>();
    let customerNames: ProjectId | null | undefined;
    for (;;) {
      const decision: Decision = decideRoute(hints, {
        ...known,
        isOwn: project => known.isOwn(project) ?? asked.get(project),
        customerNames,
      });
      switch (decision.kind) {
        case 'route':
          return decision.route;
        case 'unroutable':
          return null;
        case 'ask-project': {
          const { projectId } = decision;
          asked.set(projectId, (await rpc.call(FindProject, { teamId, projectId })) !== null);
          break;
        }
        case 'ask-customer':
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
