import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '../../system/tenant.ts';
import { drain } from '../system/drain.ts';
import type { Sent } from '../system/sent.ts';
import type { ToldEvent } from '../model/told-event.ts';
import { worldOf, type World } from '../model/world.ts';
import { compare, type Differences } from './differences.ts';
import { readShown, type Shown } from './shown.ts';
import { findDoubled, findDoubledAtProcessor } from './uniqueness.ts';

/** What a run has broken; empty lists for a run that kept every promise. Each entry names what it is about. */
export interface Findings {
  /** Acknowledged events without a record, records they should have led to, and writes that cannot be read. */
  readonly lost: string[];
  /** What stands twice, here or at the processor. */
  readonly doubled: string[];
  /** Acknowledged events that failed, or whose end did not come. */
  readonly stuck: string[];
  /** Records and figures that differ from the model. */
  readonly wrong: string[];
  /** What another tenant owns and this one was shown. */
  readonly leaked: string[];
}

/** After everything has its end, as the webhooks service tells. */
const SETTLED_WITHIN_MS = 90_000;
const LOOK_AGAIN_MS = 200;

interface Run {
  readonly tenant: Tenant;
  /** The events in the order in which the processor told of them, whatever the order of delivery. */
  readonly sent: Sent;
  /** Events that were made to fail, by id: they must have failed, and have no effect. */
  readonly poisoned?: ReadonlySet<string>;
  /** Texts that only another tenant may read. */
  readonly canaries?: readonly string[];
  /** How long to wait for everything to come to its end, in milliseconds. */
  readonly drainMs?: number;
}

/**
 * Waits until everything that was sent has come to an end, and holds what the tenant is shown against the model: no
 * loss, nothing double, the model's records, figures as recomputed, nothing of others.
 * @throws when something is still under way after `drainMs`
 */
export async function checkInvariants({ tenant, sent, drainMs, ...run }: Run): Promise<Findings & { drainMs: number }> {
  const { poisoned = new Set(), canaries = [] } = run;
  const tookMs = await drain(tenant, drainMs);
  const taken = sent.events.filter(({ outcome }) => outcome === 'ok');
  const told = taken.filter(({ id }) => !poisoned.has(id)).map(({ body }) => JSON.parse(body) as ToldEvent); // what the run itself has sent
  const { shown, missing, wrong } = await onceSettled(tenant, worldOf(told));
  const text = JSON.stringify(shown);
  return {
    lost: [...withoutRecord(taken, shown), ...missing, ...unreadable(sent, shown)],
    doubled: [...findDoubled(shown), ...(await findDoubledAtProcessor(tenant, shown))],
    stuck: withoutTheirEnd(shown, poisoned),
    wrong,
    leaked: canaries.filter(canary => text.includes(canary)),
    drainMs: tookMs,
  };
}

/** What is shown, and how it differs; looks again for a while: facts and credits may be on their way yet. */
async function onceSettled(tenant: Tenant, world: World): Promise<Differences & { shown: Shown }> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const shown = await readShown(tenant);
    const { missing, wrong } = compare(shown, world);
    const isUnderWay = missing.length + wrong.length > 0 || shown.credits.some(({ status }) => status === 'pending');
    if (!isUnderWay || performance.now() > deadline) return { shown, missing, wrong };
    await delay(LOOK_AGAIN_MS);
  }
}

function withoutRecord(taken: readonly { readonly id: string }[], { events }: Shown): string[] {
  const recorded = new Set(events.map(({ id }) => id));
  return taken.filter(({ id }) => !recorded.has(id)).map(({ id }) => `event ${id}`);
}

function unreadable({ writes }: Sent, { customers }: Shown): string[] {
  const readable = new Set(customers.map(({ id }) => id as string));
  return writes
    .filter(({ path, outcome, id }) => path === '/customers' && outcome === 'ok' && id && !readable.has(id))
    .map(({ id }) => `customer ${id}`);
}

function withoutTheirEnd({ events }: Shown, poisoned: ReadonlySet<string>): string[] {
  return events
    .filter(({ id, status }) => (poisoned.has(id) ? status !== 'failed' : !['processed', 'ignored'].includes(status)))
    .map(({ id, type, status, error }) => `${type} ${id} is ${status}: ${error ?? 'no reason given'}`);
}
