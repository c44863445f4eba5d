import type { EntityManager } from '@mikro-orm/postgresql';
import { isWanted } from '@billing/contracts/event-types';
import { WebhookDeliveryId } from '@billing/contracts/ids';
import { holdsLaterOnes } from '#domain/retry-schedule.ts';
import { FIRST } from './attempt.ts';
import { freeWaiting, type Progress, type Settled } from './commit-deliveries.ts';
import { openChains } from './chains.ts';
import { findDueAfter, readDue, type DeliveryItem } from './delivery-rows.ts';
import { WINDOW, type DeliveryStore } from './delivery-store.ts';
import type { EndpointNews, LeasedEndpoint } from './endpoint-rows.ts';
import { openHolding } from './holding.ts';

interface BacklogParts {
  readonly em: EntityManager;
  readonly store: DeliveryStore;
  readonly now: () => Date;
}

/** What is written together, and the objects whose next events need not wait once it is. */
interface Taken extends Pick<Progress, 'settled' | 'position'> {
  readonly freed: readonly string[];
}

/**
 * Opens what one endpoint is to be sent, as far as it is in memory: deliveries that are due and the events behind its cursor,
 * by position, those of an object one after the other. What has to wait for an earlier event of its object is settled as
 * pending, so that the cursor passes it.
 */
export async function openBacklog({ em, store, now }: BacklogParts, endpoint: LeasedEndpoint) {
  const left = await store.readLeft(endpoint);
  const [chains, holding] = [openChains<DeliveryItem>(), openHolding(left.holding)];
  /** Positions in memory; those of them that are in the chains or on their way; those that move the cursor. */
  const [inMemory, active, open] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const freed = new Set<string>();
  /** Positions in memory that have a delivery which is due too. */
  const passedOver = new Set<number>();
  let settled: Settled[] = [];
  let [read, calls, dueFrom] = [endpoint.position, endpoint.calls, left.dueFrom];

  const settle = (item: DeliveryItem, result: Omit<Settled, 'item' | 'id' | 'createdAt'>): void => {
    const { id, createdAt } = item.delivery ?? { id: WebhookDeliveryId.create(), createdAt: now().toISOString() };
    settled.push({ item, id, createdAt, ...result });
    active.delete(item.position);
    open.delete(item.position);
    const until = holdsLaterOnes(result.failures) ? result.nextAttemptAt : null;
    if (until) holding.add({ ...item, until });
    else if (holding.remove(item)) freed.add(item.objectKey);
    if (until && result.attempt) for (const behind of chains.takeBehind(item.objectKey)) hold(behind, until);
  };
  /** Lets an event wait until an earlier one of its object is tried again. */
  const hold = (item: DeliveryItem, until: Date): void => {
    const { attempts, failures } = item.delivery ?? FIRST;
    settle(item, { status: 'pending', attempts, failures, nextAttemptAt: until, attempt: null });
  };
  const add = (item: DeliveryItem): void => {
    inMemory.add(item.position);
    const until = item.delivery?.trigger === 'manual' ? undefined : holding.until(item, it => active.has(it));
    if (until) return hold(item, until);
    active.add(item.position);
    chains.add(item);
  };

  const addDue = async (known: number, limit: number): Promise<void> => {
    calls = known;
    const at = now();
    const items = await readDue(em, endpoint, at, limit);
    dueFrom = items.length < limit ? await findDueAfter(em, endpoint, at) : 0;
    for (const item of items) {
      if (inMemory.has(item.position)) passedOver.add(item.position);
      else add(item);
    }
  };
  const addEvents = async (wanted: number): Promise<void> => {
    const events = await store.readEvents({ endpoint, after: read });
    for (const event of events) {
      read = event.position;
      const isFor = isWanted(endpoint.eventTypes, event.type) && (endpoint.includeSync || !event.isFromSync);
      if (!isFor || left.ahead.has(event.position) || inMemory.has(event.position)) continue;
      open.add(event.position);
      add(event);
    }
    // Events may be gone, by the retention or a purge.
    if (events.length < WINDOW) read = Math.max(read, wanted);
  };
  const isDue = (news: EndpointNews | undefined): boolean =>
    now().getTime() >= dueFrom || (news !== undefined && news.calls !== calls);
  const position = (): number => (open.size === 0 ? read : Math.min(...open) - 1);
  const hasRoom = (): boolean => chains.waiting() < WINDOW / 2;
  const canRead = (news: EndpointNews | undefined): boolean => news !== undefined && read < news.wanted && hasRoom();

  return {
    /** How far the events were read. */
    read: () => read,
    /** Which calls were taken in. */
    calls: () => calls,
    settled: () => settled.length,
    waiting: chains.waiting,
    first: chains.first,
    hasNext: chains.hasNext,
    next: chains.next,
    /** How far the endpoint is once everything that is settled is written. */
    position,
    /** Whether `fill` would read further events. */
    canRead,
    /** Whether there are deliveries to read. */
    isDue,
    /** Reads what may be sent, deliveries that are due first. Do not call it while something is written and `isDue`: they are read as they were before. */
    async fill(news: EndpointNews | undefined): Promise<void> {
      if (!hasRoom()) return;
      if (isDue(news)) await addDue(news?.calls ?? calls, WINDOW);
      if (news && canRead(news)) await addEvents(news.wanted);
    },
    /** Reads one event to try a failing endpoint with, also one that is not due yet; what is sent by hand comes first. */
    async fillOne(news: EndpointNews | undefined): Promise<void> {
      if (isDue(news)) await addDue(news?.calls ?? calls, 1);
      if (chains.waiting() > 0) return;
      if (news && canRead(news)) return addEvents(news.wanted);
      const [early] = await readDue(em, endpoint, null, 1);
      if (!early || inMemory.has(early.position)) return;
      inMemory.add(early.position);
      active.add(early.position);
      chains.add(early);
    },
    /** An event that was taken has ended; the next one of its object may be taken. */
    end(item: DeliveryItem, result: Omit<Settled, 'item' | 'id' | 'createdAt'>): void {
      settle(item, result);
      chains.settle(item.objectKey);
    },
    /** Takes what is to be written, with how far the endpoint is once it is, and the objects whose next events need not wait. */
    take(): Taken {
      const taken = { settled, position: position(), freed: [...freed] };
      settled = [];
      freed.clear();
      return taken;
    },
    /** What was taken is written: what need not wait any longer becomes due, all of it once a failing endpoint has recovered. */
    async afterCommit({ settled: written, freed: objectKeys }: Taken, hasRecovered: boolean): Promise<void> {
      for (const { item, nextAttemptAt } of written) {
        inMemory.delete(item.position);
        dueFrom = passedOver.delete(item.position) ? 0 : Math.min(dueFrom, nextAttemptAt?.getTime() ?? Infinity);
      }
      if (objectKeys.length === 0 && !hasRecovered) return;
      const until = now();
      for (const one of await freeWaiting(em, endpoint, { objectKeys, hasRecovered, now: until })) {
        dueFrom = 0;
        if (holding.has(one)) holding.add({ ...one, until });
      }
    },
  };
}
