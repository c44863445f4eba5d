import { setTimeout as pause } from 'node:timers/promises';
import type { List, PageOptions, Sync } from '@billing/client';

const POLL_MS = 500;
/** Enough to outlast a restart of the services, about a minute and a half. */
const MAX_RETRIES = 30;

interface LongWork {
  readonly id: string;
  readonly status: Sync['status'];
  readonly error: Sync['error'];
}

interface Shown<Work> {
  show(work: Work): void;
  stop(): void;
}

/** Follows work on the server to its end; the command may end before, and the work goes on. */
export async function follow<Work extends LongWork>(
  get: (options: { maxRetries: number }) => Promise<Work>,
  progress: Shown<Work>,
): Promise<Work> {
  try {
    for (;;) {
      const work = await get({ maxRetries: MAX_RETRIES });
      progress.show(work);
      if (work.status !== 'queued' && work.status !== 'running') return work;
      await pause(POLL_MS);
    }
  } finally {
    progress.stop();
  }
}

/** @throws Error when the work did not complete */
export function requireCompleted({ id, status, error }: LongWork): void {
  if (status !== 'completed') throw new Error(`${id} is ${status}: ${error?.message ?? 'somebody stopped it.'}`);
}

/** Reads the first findings of a list, and how many there are. */
export async function readFindings<Finding>(
  list: (page?: PageOptions) => List<Finding>,
  limit: number,
): Promise<{ readonly findings: readonly Finding[]; readonly total: number }> {
  const findings: Finding[] = [];
  for await (const finding of list()) {
    if (findings.length === limit) break;
    findings.push(finding);
  }
  return { findings, total: (await list({ limit: 1 }).page()).total };
}
