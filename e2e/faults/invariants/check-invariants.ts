import { setTimeout as delay } from 'node:timers/promises';
import { drain } from '../../system/drain.ts';
import type { Tenant } from '../../system/tenant.ts';
import { buildExpectedState, type ExpectedState } from '../model/expected-state.ts';
import type { StripeEvent } from '../model/stripe-event.ts';
import type { Sent } from '../system/sent-requests.ts';
import { compare, type Differences } from './differences.ts';
import { findDuplicates, findProcessorDuplicates } from './duplicates.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

/** Violated invariants; every list is empty after a correct run. Each entry names the record. */
export interface Violations {
  /** Acknowledged events without a record, records that should exist, and acknowledged writes that cannot be read. */
  readonly lost: string[];
  /** Records that exist twice, in billing or at the processor. */
  readonly duplicated: string[];
  /** Acknowledged events that failed or were never completed. */
  readonly stuck: string[];
  /** Records and metrics that differ from the model. */
  readonly wrong: string[];
  /** Data of another tenant that this tenant can see. */
  readonly leaked: string[];
}

/** How long domain events and credits may still be in flight after every webhook event is completed. */
const CONVERGE_WITHIN_MS = 90_000;
const POLL_INTERVAL_MS = 200;

interface Run {
  readonly tenant: Tenant;
  /** The events in the order in which the processor created them, whatever the order of delivery. */
  readonly sent: Sent;
  /** Ids of events that must fail and have no effect. */
  readonly poisoned?: ReadonlySet<string>;
  /** Ids of events about nobody here, beside those of which the events themselves tell. */
  readonly foreign?: ReadonlySet<string>;
  /** Texts of other tenants that this tenant must not see. */
  readonly canaries?: readonly string[];
  /** How long every event may take to be completed, in milliseconds. */
  readonly drainMs?: number;
}

/**
 * Waits until everything that was sent is processed, then compares what the tenant can read with the model.
 * @throws Error when events are still unprocessed after `drainMs`
 */
export async function checkInvariants({
  tenant,
  sent,
  drainMs,
  ...run
}: Run): Promise<Violations & { drainMs: number }> {
  const { poisoned = new Set(), foreign = new Set(), canaries = [] } = run;
  const tookMs = await drain(tenant, drainMs);
  const acknowledged = sent.events.filter(({ outcome }) => outcome === 'ok');
  const effective = acknowledged.filter(({ id }) => !poisoned.has(id) && !foreign.has(id));
  const state = buildExpectedState(effective.map(({ body }) => JSON.parse(body) as StripeEvent)); // the run itself wrote these bodies
  const expected = { ...state, foreignEvents: new Set([...state.foreignEvents, ...foreign]) };
  const { snapshot, missing, wrong } = await readOnceConverged(tenant, expected);
  const text = JSON.stringify(snapshot);
  return {
    lost: [...eventsWithoutRecord(acknowledged, snapshot), ...missing, ...unreadableWrites(sent, snapshot)],
    duplicated: [...findDuplicates(snapshot), ...(await findProcessorDuplicates(tenant, snapshot))],
    stuck: incompleteEvents(snapshot, poisoned),
    wrong,
    leaked: canaries.filter(canary => text.includes(canary)),
    drainMs: tookMs,
  };
}

/** Reads until nothing differs from the expected state and no credit is pending, or the time is up. */
async function readOnceConverged(
  tenant: Tenant,
  expected: ExpectedState,
): Promise<Differences & { snapshot: Snapshot }> {
  const deadline = performance.now() + CONVERGE_WITHIN_MS;
  for (;;) {
    const snapshot = await readSnapshot(tenant);
    const { missing, wrong } = compare(snapshot, expected);
    const hasPending = missing.length + wrong.length > 0 || snapshot.credits.some(({ status }) => status === 'pending');
    if (!hasPending || performance.now() > deadline) return { snapshot, missing, wrong };
    await delay(POLL_INTERVAL_MS);
  }
}

function eventsWithoutRecord(acknowledged: readonly { readonly id: string }[], { events }: Snapshot): string[] {
  const recorded = new Set(events.map(({ id }) => id));
  return acknowledged.filter(({ id }) => !recorded.has(id)).map(({ id }) => `event ${id}`);
}

function unreadableWrites({ writes }: Sent, { customers }: Snapshot): string[] {
  const readable = new Set(customers.map(({ id }) => id as string));
  return writes
    .filter(({ path, outcome, id }) => path === '/customers' && outcome === 'ok' && id && !readable.has(id))
    .map(({ id }) => `customer ${id}`);
}

function incompleteEvents({ events }: Snapshot, poisoned: ReadonlySet<string>): string[] {
  return events
    .filter(({ id, status }) => (poisoned.has(id) ? status !== 'failed' : !['processed', 'ignored'].includes(status)))
    .map(({ id, type, status, error }) => `${type} ${id} is ${status}: ${error ?? 'no reason given'}`);
}
