import type { ProjectScope } from '@billing/contracts/ids';

/** An object of the processor, as it is seen in one project. */
export interface ProcessorObject {
  readonly scope: ProjectScope;
  /** The processor's id. */
  readonly id: string;
}

/** Returns a text that is different for each object in each project. */
export const scopedKey = ({ scope: { teamId, projectId }, id }: ProcessorObject): string =>
  `${teamId}/${projectId}/${id}`;

/** Groups processor ids by project: a query has one condition for each project. */
export function groupByScope(
  objects: readonly ProcessorObject[],
): { readonly scope: ProjectScope; readonly ids: string[] }[] {
  const groups = Map.groupBy(objects, ({ scope }) => `${scope.teamId}/${scope.projectId}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const { teamId, projectId } = first.scope;
    return [{ scope: { teamId, projectId }, ids: [...new Set(group.map(({ id }) => id))] }];
  });
}
