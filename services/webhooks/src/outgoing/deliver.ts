import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { openBell } from '@billing/database/bell';
import type { Logger } from 'pino';
import { afterAttempt, nextProbeAt, type EndpointHealth } from './endpoint-health.rules.ts';
import { attempt } from './attempt.ts';
import type { Progress, Release } from './commit-deliveries.ts';
import { clockSince, LEASE_SECONDS, makeAllDue, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import type { Pace } from './pace.ts';
import type { NextItems, Place } from './read-deliveries.ts';
import { openSendQueue, type DeliveryItem } from './send-queue.ts';
import type { Sender, Sent } from './sender.ts';
import type { Slots } from './slots.ts';

/** After so long an endpoint that goes on having work lets others have their turn, where many wait, in milliseconds. */
const TURN_MS = 5_000;
/** How often a lease is extended, and news looked for, while requests are on their way, in milliseconds. */
const LOOK_MS = 1_000;
/** After it was extended, a lease holds for so long, and then as long as an attempt takes, in milliseconds. */
const BEGIN_MS = (LEASE_SECONDS - 20) * 1_000;
/** How long after a fault of ours the endpoint is tried again, in milliseconds. */
const FAULT_MS = 5_000;
/** Events that were sent and are not written, at most: they are sent again after a crash. */
const MAX_UNWRITTEN = 200;
/** Events that are read at once: so many for each request that may be on its way, and at most. */
const [PER_REQUEST, MAX_READ] = [4, 200];

export interface DeliverParts {
  readonly em: EntityManager;
  readonly read: (place: Place) => Promise<NextItems>;
  /** Undefined when this process has lost the lease. */
  readonly commit: (progress: Progress & { readonly endpoint: LeasedEndpoint }) => Promise<EndpointNews | undefined>;
  readonly sender: Sender;
  readonly keysOf: (endpoint: Pick<LeasedEndpoint, 'id' | 'teamId'>) => Promise<EndpointKeys>;
  readonly slots: Slots;
  readonly paceOf: (id: LeasedEndpoint['id'], maxConcurrency: number) => Pace;
  /** Queues the next events of the endpoint's recovery; returns whether it did. */
  readonly continueRecovery: (endpoint: LeasedEndpoint) => Promise<boolean>;
  /** Commits what disables an endpoint, or what warns its owners, and reports that. */
  readonly report: (endpoint: LeasedEndpoint, progress: Progress) => Promise<EndpointNews | undefined>;
  /** Calls back when events of a team were recorded, until the returned function is called. */
  readonly onRecorded: (teamId: string, callback: () => void) => () => void;
  /** Whether other endpoints wait for their turn. */
  readonly isCrowded: () => boolean;
  /** How many bytes of bodies one endpoint may have in memory. */
  readonly maxBytes: () => number;
  readonly onAttempt: (sent: Sent) => void;
  readonly random: () => number;
  readonly logger: Logger;
}

/** Where the turn of one leased endpoint is. */
interface Turn {
  /** How it has responded, also what is not written yet, and what of that is written. */
  health: EndpointHealth;
  written: EndpointHealth;
  /** What others have changed, as of the last commit; undefined once the lease is lost. */
  news: EndpointNews | undefined;
  /** Which calls were taken in. */
  calls: number;
  /** There may be something to read. */
  hasMore: boolean;
  /** When the lease was extended, by `performance.now()`. */
  extendedAt: number;
  /** Why no further request begins: a failing endpoint was tried, something of ours went wrong, or it is another one's. */
  end: 'tried' | 'fault' | 'released' | undefined;
}

/** When turns end: at once, but for requests that are on their way, and then whatever these do. */
export interface Stopping {
  readonly soon: AbortSignal;
  readonly now: AbortSignal;
}

/**
 * Sends to one leased endpoint what it has not got, until nothing is due or its turn ends. What has ended is committed while
 * others are on their way, together with how far the endpoint is, so that after a crash only what was not committed is sent
 * again, under the same id.
 */
export function deliverTo(parts: DeliverParts) {
  const { em, sender, slots, random, logger } = parts;
  return async (endpoint: LeasedEndpoint, stopping: Stopping): Promise<void> => {
    const startedAt = performance.now();
    const now = clockSince(endpoint);
    const target = { teamId: endpoint.teamId, url: new URL(endpoint.url), keys: await parts.keysOf(endpoint) };
    const pace = parts.paceOf(endpoint.id, endpoint.maxConcurrency);
    const attemptParts = { sender, target, pace, now, random };
    const turn: Turn = {
      health: endpoint,
      written: endpoint,
      news: endpoint,
      calls: endpoint.calls,
      hasMore: true,
      extendedAt: startedAt,
      end: undefined,
    };
    const queue = openSendQueue(endpoint.position);
    const bell = openBell();
    const room = slots.open(endpoint.teamId);
    const stopListening = parts.onRecorded(endpoint.teamId, () => {
      turn.hasMore = true;
      bell.ring();
    });

    const isFailing = () => turn.health.status === 'failing';
    /** A failing endpoint gets one event at a time. */
    const limit = () => (isFailing() ? 1 : pace.limit(performance.now()));
    const isTimeUp = () => stopping.soon.aborted || (parts.isCrowded() && performance.now() > startedAt + TURN_MS);
    const isOver = () =>
      turn.end !== undefined ||
      turn.health.status === 'disabled' ||
      turn.news?.version !== endpoint.version ||
      performance.now() > turn.extendedAt + BEGIN_MS ||
      isTimeUp();
    const isIdle = () => queue.onTheirWay() === 0 && (isOver() || (queue.waiting() === 0 && !turn.hasMore));
    const hasRoom = () =>
      isFailing()
        ? queue.waiting() + queue.onTheirWay() === 0
        : queue.waiting() < Math.min(PER_REQUEST * limit(), MAX_READ) / 2;
    const canRead = () => turn.hasMore && hasRoom() && !isOver();

    const send = async (item: DeliveryItem): Promise<void> => {
      const { endedAt, ...outcome } = await attempt(attemptParts, item, { isProbe: isFailing() });
      if (outcome.attempt) {
        const { sent } = outcome.attempt;
        parts.onAttempt(sent);
        const { objectKey } = item;
        turn.health = afterAttempt(turn.health, { at: endedAt, objectKey, responseStatus: sent.responseStatus });
        // Who has one sent by hand need not wait for the next probe.
        if (isFailing() && item.trigger !== 'manual') turn.end = 'tried';
      }
      queue.end(item, outcome);
    };
    const canStart = () =>
      queue.onTheirWay() < limit() && queue.unwritten() < MAX_UNWRITTEN && queue.hasNext() && !isOver();
    const startWith = (giveBack: () => void): void => {
      const item = canStart() ? queue.next() : undefined;
      if (!item) return giveBack();
      void send(item)
        .catch((err: unknown) => {
          turn.end = 'fault';
          queue.putBack(item);
          logger.error({ err, endpointId: endpoint.id }, 'attempt to deliver failed');
        })
        .finally(() => {
          giveBack();
          start();
          bell.ring();
        });
    };
    /** Starts as many requests as may be on their way; each that ends starts the next one. */
    const start = (): void => {
      while (canStart()) {
        const isProven = pace.isProven(performance.now());
        const giveBack = room.take(isProven);
        if (!giveBack)
          return room.wait(isProven, later => {
            startWith(later);
            start();
          });
        startWith(giveBack);
      }
    };

    const commit = async (isLast: boolean): Promise<void> => {
      const [ended, { health, written }, beganAt] = [queue.ended(), turn, performance.now()];
      const progress = { ended, position: queue.position(), health, release: isLast ? release() : null };
      const isReported =
        (health.status === 'disabled' && written.status !== 'disabled') || (health.isWarned && !written.isWarned);
      const hasRecovered = written.status === 'failing' && health.status === 'enabled';
      if (hasRecovered) await makeAllDue(em, endpoint);
      turn.news = await (isReported ? parts.report(endpoint, progress) : parts.commit({ endpoint, ...progress }));
      queue.forget(ended.length);
      [turn.written, turn.extendedAt] = [health, beganAt];
      if (isLast || !turn.news) {
        turn.end = 'released';
        return;
      }
      turn.hasMore ||= turn.news.calls !== turn.calls || turn.news.wanted > queue.read();
    };
    const read = async (): Promise<void> => {
      // Before the statement: what is recorded during it is read the next time.
      turn.hasMore = false;
      const next = await parts.read({
        endpoint,
        read: queue.read(),
        limit: Math.min(PER_REQUEST * limit(), MAX_READ),
        maxBytes: parts.maxBytes(),
        isProbe: isFailing(),
      });
      queue.add(next.items, next.read);
      turn.calls = next.calls;
      turn.hasMore ||= next.hasMore;
    };
    /** Writes what has ended, and reads what is next. */
    const exchange = async (): Promise<void> => {
      const isLate = performance.now() > turn.extendedAt + LOOK_MS;
      if (queue.unwritten() > 0 || isLate || isIdle()) await commit(isIdle());
      if (turn.news?.isRecovering && !isOver() && (await parts.continueRecovery(endpoint))) turn.hasMore = true;
      if (canRead()) await read();
    };
    function release(): Release {
      const isTried = turn.end === 'tried';
      const dueAt = isTried ? nextProbeAt(turn.health, now(), random()) : isTimeUp() ? now() : null;
      const notBefore = turn.end === 'fault' ? new Date(now().getTime() + FAULT_MS) : null;
      return { calls: turn.calls, dueAt, notBefore };
    }

    try {
      while (turn.end !== 'released' && !stopping.now.aborted) {
        bell.reset();
        try {
          await exchange();
        } catch (err) {
          // What ended is written once the database is there again; after the lease, whoever has the next one sends it again.
          if (performance.now() > turn.extendedAt + LEASE_SECONDS * 1_000) throw err;
          turn.hasMore = true;
          logger.warn({ err, endpointId: endpoint.id }, 'deliveries not written, will try again');
          await pause(LOOK_MS);
        }
        start();
        if (queue.unwritten() === 0 && !isIdle() && !canRead()) await bell.wait(LOOK_MS);
      }
    } finally {
      turn.end = 'released';
      stopListening();
      room.close();
    }
  };
}
