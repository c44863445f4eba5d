import type { EntityManager } from '@mikro-orm/postgresql';
import { isWanted } from '@billing/contracts/event-types';
import { WebhookDeliveryId } from '@billing/contracts/ids';
import type { Logger } from 'pino';
import { afterAttempt, isSuccess, nextProbeAt, type EndpointHealth } from '#domain/endpoint-health.ts';
import { holdsLaterOnes, nextAttemptAt } from '#domain/retry-schedule.ts';
import { signedHeaders } from '#domain/sent-signature.ts';
import { openChains } from './chains.ts';
import {
  commitDeliveries,
  findDueAfter,
  freeWaiting,
  readBodies,
  readDue,
  readEvents,
  readLeft,
  type DeliveryItem,
  type Progress,
  type Settled,
  type StoredBody,
} from './delivery-rows.ts';
import { LEASE_SECONDS, readNews, releaseEndpoint, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import { openHolding } from './holding.ts';
import type { Pace } from './pace.ts';
import { continueRecovery } from './recover.ts';
import type { Sender, Sent } from './sender.ts';
import type { Slots } from './slots.ts';

/** Events in memory of one endpoint, without their bodies. */
const WINDOW = 200;
/** After so long an endpoint that goes on having work lets others have their turn, where many wait, in milliseconds. */
const TURN_MS = 5_000;
/** How often to look for news while requests are on their way, in milliseconds: what tells of them may be lost. */
const LOOK_MS = 1_000;
const EXTEND_MS = (LEASE_SECONDS / 3) * 1_000;
/** How long after a fault of ours the endpoint is tried again, in milliseconds. */
const FAULT_MS = 5_000;
export const USER_AGENT = 'Billing-Webhooks/1';

export interface DeliverParts {
  readonly em: EntityManager;
  readonly sender: Sender;
  readonly keysOf: (endpoint: Pick<LeasedEndpoint, 'id' | 'teamId'>) => Promise<EndpointKeys>;
  readonly slots: Slots;
  readonly paceOf: (id: LeasedEndpoint['id'], maxConcurrency: number) => Pace;
  /** Commits what disables an endpoint, and tells of it. */
  readonly disable: (endpoint: LeasedEndpoint, progress: Progress) => Promise<EndpointNews | undefined>;
  /** Calls back when events of a team were recorded, until the returned function is called. */
  readonly onRecorded: (teamId: string, callback: () => void) => () => void;
  /** Whether other endpoints wait for their turn. */
  readonly isCrowded: () => boolean;
  readonly onAttempt: (sent: Sent) => void;
  readonly now: () => Date;
  readonly random: () => number;
  readonly logger: Logger;
}

const FIRST = { attempts: 0, failures: 0, trigger: 'automatic', nextAttemptAt: null } as const;

/**
 * Sends to one leased endpoint what it has not got, until nothing is due or its turn ends. Events of one object follow each
 * other; others pass them. What was tried is committed as it ends, together with how far the endpoint is, so that after a
 * crash only what was not committed is sent again, under the same id.
 */
export function deliverTo(parts: DeliverParts) {
  const { em, sender, keysOf, slots, paceOf, disable, onRecorded, isCrowded, onAttempt, now, random, logger } = parts;
  return async (endpoint: LeasedEndpoint, signal: AbortSignal): Promise<void> => {
    let committedAt = performance.now();
    const endsAt = committedAt + TURN_MS;
    const keys = await keysOf(endpoint);
    if (keys(now()).length === 0) throw new Error('No secret of the endpoint opens; nothing is sent unsigned.');
    const url = new URL(endpoint.url);
    if (endpoint.isRecovering) await continueRecovery(em, endpoint);
    const left = await readLeft(em, endpoint);
    const [chains, holding] = [openChains<DeliveryItem>(), openHolding(left.holding)];
    /** Positions in memory; those of them that are in the chains or on their way; those that move the cursor. */
    const [inMemory, active, open] = [new Set<number>(), new Set<number>(), new Set<number>()];
    const freed = new Set<string>();
    let settled: Settled[] = [];
    let health: EndpointHealth = endpoint;
    let [committedStatus, news]: [string, EndpointNews | undefined] = [endpoint.status, endpoint];
    let [read, calls, dueFrom, lookedAt, onTheirWay] = [
      endpoint.position,
      endpoint.calls,
      left.dueFrom,
      committedAt,
      0,
    ];
    let [hasAttempted, hasProbed, hasFault] = [false, false, false];
    let wake: () => void = () => undefined;
    const pace = paceOf(endpoint.id, endpoint.maxConcurrency);
    const room = slots.open(endpoint.teamId);
    const stopListening = onRecorded(endpoint.teamId, () => {
      lookedAt = -Infinity;
      wake();
    });

    /** A failing endpoint gets one event at a time. */
    const limit = () => (health.status === 'failing' ? 1 : pace.limit(performance.now()));
    const isTimeUp = () => signal.aborted || (isCrowded() && performance.now() > endsAt);
    const isOver = () =>
      isTimeUp() || hasFault || hasProbed || health.status === 'disabled' || news?.version !== endpoint.version;
    const hasMore = () => news !== undefined && read < news.wanted;
    const canRead = () =>
      hasMore() &&
      chains.waiting() < WINDOW / 2 &&
      (health.status === 'enabled' || chains.waiting() + onTheirWay === 0);

    const settle = (item: DeliveryItem, result: Omit<Settled, 'item' | 'id' | 'createdAt'>): void => {
      const { id, createdAt } = item.delivery ?? { id: WebhookDeliveryId.create(), createdAt: now().toISOString() };
      settled.push({ item, id, createdAt, ...result });
      active.delete(item.position);
      const until = holdsLaterOnes(result.failures) ? result.nextAttemptAt : null;
      if (until) holding.add({ ...item, until });
      else if (holding.remove(item)) freed.add(item.objectKey);
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

    const addDue = async (): Promise<void> => {
      calls = news?.calls ?? calls;
      const at = now();
      const items = await readDue(em, endpoint, at, WINDOW);
      const isAll = items.length < WINDOW && !items.some(({ position }) => inMemory.has(position));
      dueFrom = isAll ? await findDueAfter(em, endpoint, at) : 0;
      for (const item of items) if (!inMemory.has(item.position)) add(item);
    };
    const addEvents = async (): Promise<void> => {
      const wanted = news?.wanted ?? 0;
      const events = await readEvents(em, endpoint, read, WINDOW);
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
    /** Reads what may be sent; for a failing endpoint, which must be tried, also what is not due yet. */
    const fill = async (): Promise<void> => {
      if (now().getTime() >= dueFrom || news?.calls !== calls) await addDue();
      if (canRead()) await addEvents();
      if (health.status !== 'failing' || chains.waiting() > 0 || onTheirWay > 0 || hasMore()) return;
      const [early] = await readDue(em, endpoint, null, 1);
      if (!early || inMemory.has(early.position)) return;
      inMemory.add(early.position);
      active.add(early.position);
      chains.add(early);
    };

    const attempt = async (item: DeliveryItem, stored: StoredBody | undefined): Promise<void> => {
      const { attempts, failures, trigger, nextAttemptAt: plannedAt } = item.delivery ?? FIRST;
      // What was sent before keeps its bytes, or is not sent again.
      if (!stored || (stored.isErased && (attempts > 0 || trigger !== 'automatic')))
        return settle(item, { status: 'canceled', attempts, failures, nextAttemptAt: null, attempt: null });
      const [at, body] = [now(), Buffer.from(stored.body)];
      const headers = {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...signedHeaders(keys(at), { id: item.eventId, at, body }),
      };
      const end = pace.begin(performance.now());
      const sent = await sender.send(url, headers, body);
      end(performance.now(), sent.responseStatus);
      onAttempt(sent);
      const ended = now();
      health = afterAttempt(health, { at: ended, objectKey: item.objectKey, responseStatus: sent.responseStatus });
      [hasAttempted, hasProbed] = [true, health.status === 'failing'];
      const tried = { attempts: attempts + 1, attempt: { at, sent } };
      if (isSuccess(sent.responseStatus))
        return settle(item, { ...tried, status: 'succeeded', failures, nextAttemptAt: null });
      const isEarly = trigger === 'automatic' && plannedAt !== null && plannedAt > at;
      const counted = trigger === 'manual' || isEarly ? failures : failures + 1;
      const next = isEarly
        ? plannedAt
        : nextAttemptAt({
            failures: Math.max(counted, 1),
            at: ended,
            retryAfterMs: sent.retryAfterMs,
            random: random(),
          });
      settle(item, { ...tried, status: next ? 'pending' : 'failed', failures: counted, nextAttemptAt: next });
      if (next && holdsLaterOnes(counted)) for (const behind of chains.takeBehind(item.objectKey)) hold(behind, next);
    };
    const start = (): void => {
      const batch: { readonly item: DeliveryItem; readonly giveBack: () => void }[] = [];
      while (!isOver() && onTheirWay < limit() && chains.hasNext()) {
        const giveBack = room.take(pace.isProven(performance.now()));
        if (!giveBack) {
          room.onFree(() => wake());
          break;
        }
        const item = chains.next();
        if (!item) return giveBack();
        onTheirWay += 1;
        batch.push({ item, giveBack });
      }
      if (batch.length === 0) return;
      const bodies = readBodies(
        em,
        endpoint,
        batch.map(({ item }) => item.position),
      );
      for (const { item, giveBack } of batch)
        void bodies
          .then(found => attempt(item, found.get(item.position)))
          .then(() => chains.settle(item.objectKey))
          .catch((err: unknown) => {
            hasFault = true;
            logger.error({ err, endpointId: endpoint.id }, 'attempt to deliver failed');
          })
          .finally(() => {
            onTheirWay -= 1;
            giveBack();
            wake();
          });
    };
    const commit = async (): Promise<void> => {
      const [ending, status] = [settled, health.status];
      settled = [];
      for (const { item } of ending) open.delete(item.position);
      const progress = { settled: ending, position: open.size === 0 ? read : Math.min(...open) - 1, health };
      const isNewlyDisabled = status === 'disabled' && committedStatus !== status;
      news = await (isNewlyDisabled ? disable(endpoint, progress) : commitDeliveries(em.fork(), endpoint, progress));
      committedAt = lookedAt = performance.now();
      for (const { item, nextAttemptAt: next } of ending) {
        inMemory.delete(item.position);
        dueFrom = Math.min(dueFrom, next?.getTime() ?? Infinity);
      }
      const hasRecovered = committedStatus === 'failing' && status === 'enabled';
      committedStatus = status;
      if (!news || (freed.size === 0 && !hasRecovered)) return;
      const objectKeys = [...freed];
      freed.clear();
      const until = now();
      for (const one of await freeWaiting(em, endpoint, { objectKeys, hasRecovered, now: until })) {
        dueFrom = 0;
        if (holding.has(one)) holding.add({ ...one, until });
      }
    };
    const pause = () =>
      new Promise<void>(resolve => {
        const timer = setTimeout(resolve, LOOK_MS);
        wake = () => (clearTimeout(timer), resolve());
      });

    try {
      for (;;) {
        if (settled.length > 0 || performance.now() - committedAt > EXTEND_MS) await commit();
        else if (performance.now() - lookedAt > LOOK_MS) {
          lookedAt = performance.now();
          news = await readNews(em, endpoint);
        }
        if (!isOver() && chains.waiting() < WINDOW / 2) await fill();
        start();
        if (settled.length > 0 || (!isOver() && canRead())) continue;
        if (onTheirWay === 0 && (isOver() || chains.waiting() === 0)) break;
        await pause();
      }
      await commit();
      await releaseEndpoint(em, endpoint, { known: { calls, version: endpoint.version }, read, dueAt: nextTurnAt() });
    } finally {
      stopListening();
      room.close();
    }

    function nextTurnAt(): Date | null {
      if (hasFault) return new Date(now().getTime() + FAULT_MS);
      if (isTimeUp()) return now();
      return health.status === 'failing' && hasAttempted ? nextProbeAt(health, now(), random()) : null;
    }
  };
}
