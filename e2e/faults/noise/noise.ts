import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '../../system/tenant.ts';
import type { FaultySystem } from '../system/faulty-system.ts';
import type { SeenResponses } from './seen-responses.ts';

/** Where noise is made. */
export interface Stage {
  readonly system: FaultySystem;
  /** The team that makes it, alone unless the kind needs several. */
  readonly noisy: Tenant;
  /** Its responses. */
  readonly seen: SeenResponses;
}

/** What a team does that may trouble others, with its own keys and its own signed events alone. */
export interface Noise {
  readonly name: string;
  /** Makes what it needs, before anything is measured; returns what makes the noise until it is aborted. */
  readonly prepare: (
    stage: Stage,
    resources: AsyncDisposableStack,
  ) => Promise<(signal: AbortSignal) => Promise<unknown>>;
}

/** Refused callers come back so often in all, ten times what a key may: more would measure what the callers themselves cost. */
const REFUSALS_PER_SECOND = 100;

/** Has so many callers do the same again and again; each returns the status of its response. */
export async function again(
  callers: number,
  signal: AbortSignal,
  call: (caller: number, turn: number) => Promise<number>,
): Promise<void> {
  const run = async (caller: number) => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const status = await call(caller, turn);
      if (status < 200 || status >= 300) await delay((callers * 1_000) / REFUSALS_PER_SECOND);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => run(caller)));
}

/** Calls the API as the noisy team; returns the status. */
export const caller =
  ({ system, noisy: { P, secret }, seen }: Stage, signal?: AbortSignal) =>
  async (method: string, path: string, body?: object): Promise<number> => {
    const { status } = await seen.send(`${system.gatewayUrl}${P}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return status;
  };
