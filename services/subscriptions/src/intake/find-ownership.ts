import { namedProject } from '@billing/processor/metadata';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { FindCustomersByProcessorId, FindProject } from '@billing/contracts/rpc/calls';
import type { Processor } from '@billing/processor/port';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Dependencies } from '../dependencies.ts';

type Metadata = Readonly<Record<string, string>>;

/** Which objects of a customer of the processor belong to a project. */
export interface Ownership {
  /** Whether the project owns an object whose metadata names no project of the team. */
  readonly ownsUnmarked: boolean;
  /** What the metadata of an object, the nearest first, says about its project. */
  readonly markOf: (...metadata: readonly Metadata[]) => Promise<'own' | 'foreign' | 'none'>;
}

/**
 * Finds out which objects of a customer of the processor belong to a project, by the rule that routes their events: the
 * project that their metadata names, else the only one that has the customer, else the one that the customer's metadata
 * names, else the one that has it for the longest time.
 */
export function findOwnership({ rpc }: Pick<Dependencies, 'rpc'>) {
  return async (processor: Processor, { scope, id }: ProjectObject): Promise<Ownership> => {
    const known = new Map<ProjectId, boolean>([[scope.projectId, true]]);
    const isOfTeam = async (projectId: ProjectId): Promise<boolean> => {
      const { teamId } = scope;
      const ofTeam = known.get(projectId) ?? (await rpc.call(FindProject, { teamId, projectId })) !== null;
      known.set(projectId, ofTeam);
      return ofTeam;
    };
    const named = async (metadata: Metadata): Promise<ProjectId | null> => {
      const projectId = namedProject(metadata);
      return projectId && (await isOfTeam(projectId)) ? projectId : null;
    };

    const holders = await findHolders(scope, id);
    const [oldest = scope.projectId] = holders;
    const customer = holders.length > 1 ? await processor.findCustomer(id) : null;
    const chosen = customer && !customer.deleted ? await named(customer.metadata) : null;
    return {
      ownsUnmarked: (chosen && holders.includes(chosen) ? chosen : oldest) === scope.projectId,
      async markOf(...sources) {
        for (const metadata of sources) {
          const projectId = await named(metadata);
          if (projectId) return projectId === scope.projectId ? 'own' : 'foreign';
        }
        return 'none';
      },
    };
  };

  /** The projects that have the customer, the one that has it for the longest time first. */
  async function findHolders({ teamId }: ProjectScope, processorCustomerId: string): Promise<ProjectId[]> {
    const customers = await rpc.call(FindCustomersByProcessorId, { teamId, processorCustomerId });
    const oldestFirst = customers.toSorted(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.projectId < b.projectId ? -1 : 1),
    );
    return oldestFirst.map(({ projectId }) => projectId);
  }
}
