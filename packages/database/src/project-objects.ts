import type { ProjectScope } from '@billing/contracts/ids';

/** An object as one project knows it. */
export interface ProjectObject<Id extends string = string> {
  readonly scope: ProjectScope;
  /** The processor's id, ours, or another text that names the object in its project. */
  readonly id: Id;
}

/** Returns a text that is different for each object in each project. */
export const scopedKey = ({ scope: { teamId, projectId }, id }: ProjectObject): string =>
  `${teamId}/${projectId}/${id}`;

/** Returns the teams, the projects and the ids of objects, each as the value of an array in a statement. */
export const keyColumns = (objects: readonly ProjectObject[]): [string[], string[], string[]] => [
  objects.map(({ scope }) => scope.teamId),
  objects.map(({ scope }) => scope.projectId),
  objects.map(({ id }) => id),
];

/** Conditions on rows, one for each project. */
interface InProjects<Property extends string, Id extends string> {
  readonly $or: (Partial<ProjectScope> & Record<Property, { readonly $in: Id[] }>)[];
}

/** Selects the rows that have the id of one of the objects in `property`, each in its own project; none without objects. */
export function inProjects<Property extends string, Id extends string>(
  property: Property,
  objects: readonly ProjectObject<Id>[],
): InProjects<Property, Id> {
  const idIn = (ids: Id[]) => ({ [property]: { $in: ids } }) as Record<Property, { $in: Id[] }>; // the key is `property`
  // Without any condition, `$or` would select every row.
  if (objects.length === 0) return { $or: [idIn([])] };
  return { $or: groupByScope(objects).map(({ scope, ids }) => ({ ...scope, ...idIn(ids) })) };
}

/** Groups ids by project: a query has one condition for each project. */
function groupByScope<Id extends string>(
  objects: readonly ProjectObject<Id>[],
): { readonly scope: ProjectScope; readonly ids: Id[] }[] {
  const groups = Map.groupBy(objects, ({ scope }) => `${scope.teamId}/${scope.projectId}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const { teamId, projectId } = first.scope;
    return [{ scope: { teamId, projectId }, ids: [...new Set(group.map(({ id }) => id))] }];
  });
}
