/** Workspaces that are tested together, and how many of them run at a time. */
export interface Phase {
  turboArgs: readonly string[];
  concurrency: number;
}

/** Measures the running system, so no other tests may run at the same time. */
const END_TO_END = '@billing/e2e';
/** Two workspaces at a time: one waits for PostgreSQL and NATS while the other computes. */
const CONCURRENCY = 2;

/** Plans the end-to-end tests after all others. A phase without workspaces is omitted. */
export function planPhases(workspaces: readonly string[], turboArgs: readonly string[]): Phase[] {
  const phases: Phase[] = [];
  if (workspaces.some(name => name !== END_TO_END))
    phases.push({ turboArgs: [...turboArgs, `--filter=!${END_TO_END}`], concurrency: CONCURRENCY });
  if (workspaces.includes(END_TO_END)) phases.push({ turboArgs: [`--filter=${END_TO_END}`], concurrency: 1 });
  return phases;
}
