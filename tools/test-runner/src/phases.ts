/** A part of the run: which workspaces, and how many at a time. */
export interface Phase {
  turboArgs: readonly string[];
  concurrency: number;
}

/** Runs the whole system and measures it, so nothing else may run beside it. */
const WHOLE_SYSTEM = '@billing/e2e';
/** Two workspaces at a time: one waits for PostgreSQL and NATS while the other computes. */
const CONCURRENCY = 2;

/** First every other workspace, then the whole system alone; a phase without workspaces is left out. */
export function planPhases(workspaces: readonly string[], turboArgs: readonly string[]): Phase[] {
  const phases: Phase[] = [];
  if (workspaces.some(name => name !== WHOLE_SYSTEM))
    phases.push({ turboArgs: [...turboArgs, `--filter=!${WHOLE_SYSTEM}`], concurrency: CONCURRENCY });
  if (workspaces.includes(WHOLE_SYSTEM)) phases.push({ turboArgs: [`--filter=${WHOLE_SYSTEM}`], concurrency: 1 });
  return phases;
}
