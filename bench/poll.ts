import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 120_000;
const INTERVAL_MS = 250;

/**
 * Waits until `isDone` returns true.
 * @throws Error that names what was waited for, after two minutes
 */
export async function poll(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`Waited ${TIMEOUT_MS / 1_000} s for ${what}.`);
    await delay(INTERVAL_MS);
  }
}
