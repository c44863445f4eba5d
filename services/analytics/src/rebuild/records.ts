import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import {
  ListCustomerStates,
  ListProjectStates,
  ListReferralCodeStates,
  ListReferralStates,
  ListSubscriptionStates,
  ListWebhookEventStates,
} from '@billing/contracts/rpc/list-states';
import type { RpcClient } from '@billing/messaging/rpc';
import {
  seenCustomer,
  seenReferral,
  seenReferralCode,
  seenSubscription,
  seenWebhookEvent,
  type Sighting,
  type Telling,
} from '#domain/sighting.ts';

interface Part<State> {
  readonly records: readonly { readonly recordedAt: Date; readonly state: State }[];
  readonly next: string | null;
}

/** Everything that counts of a project, as its owners tell it, part by part. */
export async function* recordsOf(rpc: RpcClient, scope: ProjectScope): AsyncGenerator<Sighting[]> {
  const { teamId, projectId } = scope;
  const asked = (after: string | null, limit: number) => ({ teamId, projectId, after, limit });
  // An answer must fit into a message of the broker: a subscription may have twenty items.
  yield* seen(scope, seenSubscription, after => rpc.call(ListSubscriptionStates, asked(after, 100)));
  yield* seen(scope, seenCustomer, after => rpc.call(ListCustomerStates, asked(after, 500)));
  yield* seen(scope, seenWebhookEvent, after => rpc.call(ListWebhookEventStates, asked(after, 500)));
  yield* seen(scope, seenReferralCode, after => rpc.call(ListReferralCodeStates, asked(after, 500)));
  yield* seen(scope, seenReferral, after => rpc.call(ListReferralStates, asked(after, 500)));
}

/** Every project, or the one named. */
export async function* projectsOf(rpc: RpcClient, projectId: ProjectId | null): AsyncGenerator<ProjectState> {
  for await (const records of parts(after => rpc.call(ListProjectStates, { projectId, after, limit: 500 })))
    for (const { state } of records) yield state;
}

async function* seen<State>(
  { teamId }: ProjectScope,
  see: (telling: Telling, state: State) => Sighting,
  ask: (after: string | null) => Promise<Part<State>>,
): AsyncGenerator<Sighting[]> {
  for await (const records of parts(ask))
    yield records.map(({ recordedAt, state }) => see({ teamId, recordedAt }, state));
}

async function* parts<State>(ask: (after: string | null) => Promise<Part<State>>) {
  for (let part = await patiently(() => ask(null)); ;) {
    if (part.records.length > 0) yield part.records;
    const { next } = part;
    if (next === null) return;
    part = await patiently(() => ask(next));
  }
}

/** How often an owner that does not answer is asked again, and after how long, in milliseconds. */
const ATTEMPTS = 30;
const PAUSE_MS = 2_000;

/** Waits for an owner that is away, for instance while it is started anew. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (err) {
      if (!(err instanceof Problem && err.kind === 'unavailable') || attempt === ATTEMPTS) throw err;
      await delay(PAUSE_MS);
    }
  }
}
