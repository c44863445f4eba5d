import type { ProjectScope } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { Dependencies } from '../dependencies.ts';
import { ProjectCopy } from './feature-copies.entity.ts';

/**
 * Finds whether a project computes tax unless a sale says otherwise: by its copy, or by the gateway before the first event
 * of the project arrives.
 * @throws Problem 503 when there is no copy and the gateway does not reply
 */
export function findTaxDefault({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async ({ teamId, projectId }: ProjectScope): Promise<boolean> => {
    const copy = await em.fork().findOne(ProjectCopy, { id: projectId, teamId });
    const project = copy ?? (await rpc.call(FindProject, { teamId, projectId }));
    return project?.automaticTax ?? false;
  };
}
