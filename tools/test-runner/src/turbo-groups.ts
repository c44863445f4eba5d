/** Workspaces that one turbo runs, and how many of them at a time. */
export interface TurboGroup {
  turboArgs: readonly string[];
  concurrency: number;
}

/** Workspaces whose tests take long and mostly wait for the systems that they started. */
const END_TO_END: readonly string[] = ['@billing/e2e', '@billing/e2e-own-system'];
/** Two workspaces at a time: one waits for PostgreSQL and NATS while the other computes. */
const CONCURRENCY = 2;

/**
 * Divides the workspaces into groups that run side by side: the end-to-end tests start at once instead of after all others.
 * A group without workspaces is omitted.
 */
export function turboGroups(workspaces: readonly string[], turboArgs: readonly string[]): TurboGroup[] {
  const groups: TurboGroup[] = [];
  const endToEnd = workspaces.filter(name => END_TO_END.includes(name));
  if (endToEnd.length > 0)
    groups.push({ turboArgs: endToEnd.map(name => `--filter=${name}`), concurrency: endToEnd.length });
  if (workspaces.length > endToEnd.length)
    groups.push({
      turboArgs: [...turboArgs, ...END_TO_END.map(name => `--filter=!${name}`)],
      concurrency: CONCURRENCY,
    });
  return groups;
}
