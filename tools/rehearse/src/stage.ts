import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BillingClient, BillingEvent, TestClock, TestClockAdvance } from '@billing/client';
import { isUndone, outcomeText } from '@billing/sync/catalog-difference';
import { runDocument } from '@billing/sync/catalog-run';
import { customerOf, type Names } from './happenings.rules.ts';
import type { ReadRehearsal } from './rehearsal-file.ts';

/** How often a rehearsal asks whether something has come to an end. */
export const POLL_MS = 250;

/** Where a rehearsal plays: a clock with customers on it. */
export interface Stage {
  readonly client: BillingClient;
  readonly clockId: string;
  /** What subscriptions of this run have as metadata `rehearsal`. */
  readonly run: string;
  /** The ids of customers, by their names in the rehearsal. */
  readonly customers: ReadonlyMap<string, string>;
  /** The subscriptions that were sold to them last, by the ids of customers. */
  readonly sold: Map<string, string>;
  readonly names: Names;
  /** Reads the events of the customers since the last call. */
  readonly readEvents: () => Promise<readonly BillingEvent[]>;
}

/** Applies the catalog of a rehearsal; what has no key in it stays as it is. */
export async function applyCatalog(client: BillingClient, { catalog }: Pick<ReadRehearsal, 'catalog'>): Promise<void> {
  if (!catalog) return;
  const { findings } = await runDocument(client, { catalog, mode: 'apply' });
  const undone = findings.filter(isUndone);
  if (undone.length > 0)
    throw new Error(`The catalog could not be applied:\n${outcomeText(undone, (_, text) => text)}`);
}

/** Puts the customers of a rehearsal on a clock. Their e-mails are unique. */
export async function setStage(
  client: BillingClient,
  { id: clockId, createdAt }: TestClock,
  { customers: wanted }: ReadRehearsal,
): Promise<Stage> {
  const run = randomBytes(6).toString('hex');
  const customers = new Map<string, string>();
  for (const [name, { card, externalId }] of Object.entries(wanted)) {
    const email = `${name}+${run}@rehearsal.example`;
    const { id } = await client.customers.create({ name, email, externalId, testClockId: clockId });
    if (card !== 'none') await client.customers.setTestCard(id, { card });
    customers.set(name, id);
  }
  const prices = new Map<string, string>();
  for await (const { id, key } of client.prices.list({ limit: 100 })) if (key) prices.set(id, key);
  const names = { customers: new Map([...customers].map(([name, id]) => [id, name])), prices };
  return { client, clockId, run, customers, sold: new Map(), names, readEvents: eventsOf(client, names, createdAt) };
}

function eventsOf(client: BillingClient, { customers }: Names, since: string): Stage['readEvents'] {
  let cursor: string | undefined;
  return async () => {
    const events: BillingEvent[] = [];
    for await (const { items, nextCursor } of client.events.list({ since, cursor, limit: 100 }).pages()) {
      events.push(...items.filter(event => customers.has(customerOf(event) ?? '')));
      cursor = nextCursor ?? cursor;
    }
    return events;
  };
}

/** Advances the clock, and waits until all that happened is recorded; returns its time. */
export async function advance({ client, clockId }: Stage, how: TestClockAdvance): Promise<string> {
  let clock = await client.testClocks.advance(clockId, how);
  while (clock.status === 'advancing') {
    await pause(POLL_MS);
    clock = await client.testClocks.get(clockId);
  }
  if (clock.status === 'failed') throw new Error(`The clock ${clockId} failed to advance.`);
  return clock.now;
}
