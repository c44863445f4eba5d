import type { ProjectScope } from './project.ts';

/** How many ids one request takes. */
export const MAX_IDS = 100;
const WAIT_MS = 5;

interface Waiting<Item> {
  readonly id: string;
  readonly resolve: (item: Item | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that finds a record by its id, or null when it does not exist any more. Those that a page requests at
 * once share a request for up to `MAX_IDS`.
 */
export function findTogether<Item extends { readonly id: string }>(
  load: (scope: ProjectScope, ids: readonly Item['id'][]) => Promise<readonly Item[]>,
): (scope: ProjectScope, id: string) => Promise<Item | null> {
  const waitingOf = new Map<string, Waiting<Item>[]>();

  const loadAll = async (scope: ProjectScope, project: string): Promise<void> => {
    const waiting = waitingOf.get(project) ?? [];
    waitingOf.delete(project);
    if (waiting.length === 0) return;
    try {
      const ids = [...new Set(waiting.map(({ id }) => id))] as Item['id'][]; // they come from the API
      const byId = new Map<string, Item>((await load(scope, ids)).map(item => [item.id, item]));
      for (const { id, resolve } of waiting) resolve(byId.get(id) ?? null);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };

  return (scope, id) => {
    const project = `${scope.teamId}/${scope.projectId}`;
    return new Promise((resolve, reject) => {
      const waiting = waitingOf.get(project) ?? [];
      waiting.push({ id, resolve, reject });
      waitingOf.set(project, waiting);
      if (waiting.length >= MAX_IDS) void loadAll(scope, project);
      else if (waiting.length === 1) setTimeout(() => void loadAll(scope, project), WAIT_MS);
    });
  };
}
