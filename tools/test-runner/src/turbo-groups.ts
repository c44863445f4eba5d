/** Workspaces that one turbo runs, and how many of them at a time. */
export interface TurboGroup {
  turboArgs: readonly string[];
  concurrency: number;
}

/** The workspace whose tests take longest, and mostly wait for a system. */
const END_TO_END = '@billing/e2e';
/** Two workspaces at a time: one waits for PostgreSQL and NATS while the other computes. */
const CONCURRENCY = 2;

/**
 * Divides the workspaces into groups that run side by side: the end-to-end tests start at once instead of after all others.
 * A group without workspaces is omitted.
 */
export function turboGroups(workspaces: readonly string[], turboArgs: readonly string[]): TurboGroup[] {
  const groups: TurboGroup[] = [];
  const others = workspaces.filter(name => name !== END_TO_END);
  if (others.length < workspaces.length) groups.push({ turboArgs: [`--filter=${END_TO_END}`], concurrency: 1 });
  if (others.length > 0)
    groups.push({ turboArgs: [...turboArgs, `--filter=!${END_TO_END}`], concurrency: CONCURRENCY });
  return groups;
}
