import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Arrivals, Instruction } from './receiver-process.ts';

const TIMEOUT_MS = 600_000;

/** The tenants' systems: one process that receives the webhooks of both sides. */
export interface Receiver extends Disposable {
  readonly url: string;
  /** Forgets what arrived. `hangs`: endpoints whose path begins with `HANGING_PATH` get no response. */
  start(options?: { readonly hangs?: boolean }): void;
  /**
   * Waits until so many different events have arrived at endpoints that do not hang.
   * @throws Error when they have not within ten minutes
   */
  until(count: number): Promise<Arrivals>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = fork(join(import.meta.dirname, 'receiver-process.ts'));
  const send = (instruction: Instruction) => void server.send(instruction);
  const [{ url }] = (await once(server, 'message')) as [{ url: string }]; // what it sends first
  return {
    url,
    start: ({ hangs = false } = {}) => send({ start: true, hangs }),
    async until(count) {
      send({ reportAt: count });
      const timeout = new AbortController();
      const arrived = once(server, 'message', { signal: timeout.signal }) as Promise<[Arrivals]>; // what it sends
      const late = delay(TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
        throw new Error(`Of ${count} events not all have arrived in ${TIMEOUT_MS / 60_000} minutes.`);
      });
      late.catch(() => undefined);
      try {
        const [arrivals] = await Promise.race([arrived, late]);
        return arrivals;
      } finally {
        timeout.abort();
        arrived.catch(() => undefined);
      }
    },
    [Symbol.dispose]: () => void server.kill(),
  };
}
