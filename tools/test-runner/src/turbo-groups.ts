/** Workspaces that one turbo runs, and how many of them at a time. */
export interface TurboGroup {
  turboArgs: readonly string[];
  concurrency: number;
}

/** One workspace whose tests take long and mostly wait for the system that they started. */
const END_TO_END = '@billing/e2e';
/** Two workspaces at a time: one waits for PostgreSQL and NATS while the other computes. */
const CONCURRENCY = 2;

/**
 * Divides the workspaces into groups that run side by side: the end-to-end tests start at once instead of after all others.
 * A group without workspaces is omitted.
 */
export function turboGroups(workspaces: readonly string[], turboArgs: readonly string[]): TurboGroup[] {
  const groups: TurboGroup[] = [];
  if (workspaces.includes(END_TO_END)) groups.push({ turboArgs: [`--filter=${END_TO_END}`], concurrency: 1 });
  if (workspaces.some(name => name !== END_TO_END))
    groups.push({ turboArgs: [...turboArgs, `--filter=!${END_TO_END}`], concurrency: CONCURRENCY });
  return groups;
}
