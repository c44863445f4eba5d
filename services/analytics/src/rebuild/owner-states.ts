import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import {
  CountWebhookEvents,
  ListCustomerStates,
  ListProjectStates,
  ListReferralCodeStates,
  ListReferralStates,
  ListSubscriptionStates,
} from '@billing/contracts/rpc/list-states';
import type { RpcClient } from '@billing/messaging/rpc';
import {
  customerRecord,
  referralRecord,
  referralCodeRecord,
  subscriptionRecord,
  type RecordState,
  type StateOrigin,
} from '#domain/record-state.ts';
import type { ProjectCounts } from '#persistence/webhook-event-counts.ts';

interface Page<State> {
  readonly records: readonly { readonly recordedAt: Date; readonly state: State }[];
  readonly next: string | null;
}

type ReadPage<State> = (after: string | null) => Promise<Page<State>>;

/** Reads all records of a project from the services that own them, page by page. */
export async function* readRecordStates(rpc: RpcClient, scope: ProjectScope): AsyncGenerator<RecordState[]> {
  const { teamId, projectId } = scope;
  const page = (after: string | null, limit: number) => ({ teamId, projectId, after, limit });
  yield* recordStates(scope, subscriptionRecord, after => rpc.call(ListSubscriptionStates, page(after, 500)));
  yield* recordStates(scope, customerRecord, after => rpc.call(ListCustomerStates, page(after, 500)));
  yield* recordStates(scope, referralCodeRecord, after => rpc.call(ListReferralCodeStates, page(after, 500)));
  yield* recordStates(scope, referralRecord, after => rpc.call(ListReferralStates, page(after, 500)));
}

/** Reads how many webhook events a project has. */
export async function readWebhookEvents(rpc: RpcClient, scope: ProjectScope): Promise<ProjectCounts> {
  return { ...scope, ...(await retryWhileUnavailable(() => rpc.call(CountWebhookEvents, scope))) };
}

/** Reads every project, or only the one with the given id. */
export async function* readProjects(rpc: RpcClient, projectId: ProjectId | null): AsyncGenerator<ProjectState> {
  for await (const records of pages(after => rpc.call(ListProjectStates, { projectId, after, limit: 500 })))
    for (const { state } of records) yield state;
}

async function* recordStates<State>(
  { teamId }: ProjectScope,
  toRecord: (origin: StateOrigin, state: State) => RecordState,
  readPage: ReadPage<State>,
): AsyncGenerator<RecordState[]> {
  for await (const records of pages(readPage))
    yield records.map(({ recordedAt, state }) => toRecord({ teamId, recordedAt }, state));
}

async function* pages<State>(readPage: ReadPage<State>) {
  for (let page = await retryWhileUnavailable(() => readPage(null)); ;) {
    if (page.records.length > 0) yield page.records;
    const { next } = page;
    if (next === null) return;
    page = await retryWhileUnavailable(() => readPage(next));
  }
}

const MAX_ATTEMPTS = 30;
const RETRY_DELAY_MS = 2_000;

/** Repeats a call to an owner that does not reply, for instance because it restarts. */
async function retryWhileUnavailable<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (err) {
      if (!(err instanceof Problem && err.kind === 'unavailable') || attempt === MAX_ATTEMPTS) throw err;
      await delay(RETRY_DELAY_MS);
    }
  }
}
