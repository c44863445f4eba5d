import type { EntityManager } from '@mikro-orm/postgresql';
import { lingerAfter } from '@billing/database/linger';
import type { Logger } from 'pino';
import { afterAttempt, nextProbeAt, type EndpointHealth } from '#domain/endpoint-health.ts';
import { attempt } from './attempt.ts';
import { openBacklog } from './backlog.ts';
import { openReadAhead } from './bodies.ts';
import type { Progress } from './commit-deliveries.ts';
import type { DeliveryItem, StoredBody } from './delivery-rows.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { LEASE_SECONDS, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import type { Pace } from './pace.ts';
import { continueRecovery } from './recover.ts';
import type { Sender, Sent } from './sender.ts';
import type { Slots } from './slots.ts';

/** After so long an endpoint that goes on having work lets others have their turn, where many wait, in milliseconds. */
const TURN_MS = 5_000;
/** How often to look for news while requests are on their way, in milliseconds: what tells of them may be lost. */
const LOOK_MS = 1_000;
const EXTEND_MS = (LEASE_SECONDS / 3) * 1_000;
/** How long after a fault of ours the endpoint is tried again, in milliseconds. */
const FAULT_MS = 5_000;
/** Events that were sent and are not written, at most. */
const MAX_UNWRITTEN = 200;
/** How long requests that are on their way when the process closes may take; then whoever leases the endpoint repeats them. */
const CLOSE_MS = 3_000;

export interface DeliverParts {
  readonly em: EntityManager;
  readonly store: DeliveryStore;
  readonly sender: Sender;
  readonly keysOf: (endpoint: Pick<LeasedEndpoint, 'id' | 'teamId'>) => Promise<EndpointKeys>;
  readonly slots: Slots;
  readonly paceOf: (id: LeasedEndpoint['id'], maxConcurrency: number) => Pace;
  /** Commits what disables an endpoint, or what warns its owners, and tells of it. */
  readonly report: (endpoint: LeasedEndpoint, progress: Progress) => Promise<EndpointNews | undefined>;
  /** Calls back when events of a team were recorded, until the returned function is called. */
  readonly onRecorded: (teamId: string, callback: () => void) => () => void;
  /** Whether other endpoints wait for their turn. */
  readonly isCrowded: () => boolean;
  readonly onAttempt: (sent: Sent) => void;
  readonly now: () => Date;
  readonly random: () => number;
  readonly logger: Logger;
}

/** What of the endpoint is written. */
type Committed = Pick<LeasedEndpoint, 'status' | 'position' | 'isWarned'>;

/**
 * Sends to one leased endpoint what it has not got, until nothing is due or its turn ends. Events of one object follow each
 * other; others pass them. What was tried is committed as it ends, together with how far the endpoint is, so that after a
 * crash only what was not committed is sent again, under the same id.
 */
export function deliverTo(parts: DeliverParts) {
  const { em, store, sender, keysOf, slots, paceOf, report, onRecorded, isCrowded, onAttempt, now, random, logger } =
    parts;
  const openBodies = openReadAhead();
  return async (endpoint: LeasedEndpoint, signal: AbortSignal): Promise<void> => {
    let committedAt = performance.now();
    const endsAt = committedAt + TURN_MS;
    const keys = await keysOf(endpoint);
    if (endpoint.isRecovering) await continueRecovery(em, endpoint);
    const backlog = await openBacklog({ em, store, now }, endpoint);
    const pace = paceOf(endpoint.id, endpoint.maxConcurrency);
    const attemptParts = { sender, target: { url: endpoint.url, keys }, pace, now, random };
    const bodies = openBodies(positions => store.readBodies({ endpoint, positions }));
    let health: EndpointHealth = endpoint;
    let [committed, news]: [Committed, EndpointNews | undefined] = [endpoint, endpoint];
    let [lookedAt, onTheirWay, closesAt] = [committedAt, 0, Infinity];
    let [isTold, hasAttempted, hasProbed, hasFault] = [false, false, false, false];
    /** It has recovered, and what waits for that is not due yet: it comes first. */
    let isReleasing = false;
    /** The commit that is under way, how much it takes, and why it failed. */
    const writing: { commit?: Promise<void> | undefined; count: number; failure?: { readonly err: unknown } } = {
      count: 0,
    };
    let [endPause, isWoken] = [(): void => undefined, false];
    const wake = (): void => {
      isWoken = true;
      endPause();
    };
    const room = slots.open(endpoint.teamId);
    const stopListening = onRecorded(endpoint.teamId, () => {
      isTold = true;
      wake();
    });

    /** A failing endpoint gets one event at a time. */
    const limit = () => (health.status === 'failing' ? 1 : pace.limit(performance.now()));
    const isTimeUp = () => signal.aborted || (isCrowded() && performance.now() > endsAt);
    const isOver = () =>
      isTimeUp() || hasFault || hasProbed || health.status === 'disabled' || news?.version !== endpoint.version;
    const isIdle = () => backlog.waiting() + onTheirWay + backlog.settled() === 0 && !writing.commit;
    const canRead = () => backlog.canRead(news) && (health.status !== 'failing' || isIdle());

    const send = async (item: DeliveryItem, stored: StoredBody | undefined): Promise<void> => {
      const result = await attempt(attemptParts, item, { stored, isProbe: health.status === 'failing' });
      if (result.attempt) {
        const { sent } = result.attempt;
        onAttempt(sent);
        const { objectKey } = item;
        const wasFailing = health.status === 'failing';
        health = afterAttempt(health, { at: result.endedAt, objectKey, responseStatus: sent.responseStatus });
        hasAttempted = true;
        if (wasFailing && health.status === 'enabled') isReleasing = true;
        // Who has one sent by hand need not wait for the next probe.
        hasProbed = health.status === 'failing' && item.delivery?.trigger !== 'manual';
      }
      backlog.end(item, result);
    };
    const canStart = () =>
      !isOver() &&
      !isReleasing &&
      onTheirWay < limit() &&
      backlog.hasNext() &&
      // What is not written is sent again after a crash.
      backlog.settled() + writing.count < MAX_UNWRITTEN;
    const start = (): void => {
      while (canStart()) {
        const giveBack = room.take(pace.isProven(performance.now()));
        if (!giveBack) return room.onFree(wake);
        const item = backlog.next();
        if (!item) return giveBack();
        onTheirWay += 1;
        void bodies
          .take(
            item.position,
            backlog.first(limit()).map(({ position }) => position),
          )
          .then(stored => send(item, stored))
          .catch((err: unknown) => {
            hasFault = true;
            logger.error({ err, endpointId: endpoint.id }, 'attempt to deliver failed');
          })
          .finally(() => {
            onTheirWay -= 1;
            giveBack();
            wake();
          });
      }
    };
    const commit = async (): Promise<void> => {
      const [taken, { status, isWarned }] = [backlog.take(), health];
      const progress = { settled: taken.settled, position: taken.position, health };
      writing.count = taken.settled.length;
      for (const { item } of taken.settled) bodies.forget(item.position);
      // Before the statement: what is recorded during it is looked for again.
      committedAt = lookedAt = performance.now();
      isTold = false;
      const isReported = (status === 'disabled' && committed.status !== status) || (isWarned && !committed.isWarned);
      news = await (isReported ? report(endpoint, progress) : store.commit({ endpoint, ...progress }));
      const hasRecovered = committed.status === 'failing' && status === 'enabled';
      committed = { status, isWarned, position: taken.position };
      if (news) await backlog.afterCommit(taken, hasRecovered);
      writing.count = 0;
    };
    /** Commits beside what is sent, one time after the other, with as long a pause: what ends meanwhile goes into the next one. */
    const write = (): void => {
      if (writing.commit || (backlog.settled() === 0 && performance.now() - committedAt < EXTEND_MS)) return;
      writing.commit = commit()
        .then(() => lingerAfter(performance.now() - committedAt))
        .catch((err: unknown) => void (writing.failure = { err }))
        .finally(() => {
          writing.commit = undefined;
          wake();
        });
    };
    const requireWritten = (): void => {
      if (writing.failure) throw writing.failure.err;
    };
    /** Waits until something ends, or is recorded; not at all when that happened since the last time. */
    const pause = () =>
      new Promise<void>(resolve => {
        if (isWoken) return resolve();
        const timer = setTimeout(resolve, LOOK_MS);
        endPause = () => (clearTimeout(timer), resolve());
      });

    try {
      for (;;) {
        isWoken = false;
        requireWritten();
        write();
        const isLate = performance.now() - lookedAt > LOOK_MS || (isTold && !backlog.canRead(news));
        // A commit brings news too.
        if (isLate && !writing.commit) {
          [lookedAt, isTold] = [performance.now(), false];
          news = await store.readNews(endpoint);
        }
        if (!writing.commit && backlog.settled() === 0) isReleasing = false;
        if (!isOver() && health.status !== 'failing') await backlog.fill(news, writing.commit !== undefined);
        else if (!isOver() && isIdle()) await backlog.fillOne(news);
        start();
        write();
        if (isWoken || (!isOver() && canRead())) continue;
        if (onTheirWay === 0 && !writing.commit && (isOver() || backlog.waiting() === 0)) break;
        if (signal.aborted) closesAt = Math.min(closesAt, performance.now() + CLOSE_MS);
        if (performance.now() > closesAt) break;
        await pause();
      }
      await writing.commit;
      requireWritten();
      if (committed.position !== backlog.position() || backlog.settled() > 0) await commit();
      // Whoever leases it once this lease has ended sends again what is on its way.
      if (onTheirWay > 0) return;
      const known = { calls: backlog.calls(), version: endpoint.version };
      const notBefore = hasFault ? new Date(now().getTime() + FAULT_MS) : null;
      await store.release({ endpoint, known, read: backlog.read(), dueAt: nextTurnAt(), notBefore });
    } finally {
      stopListening();
      room.close();
      bodies.close();
    }

    function nextTurnAt(): Date | null {
      if (health.status === 'failing' && hasAttempted) return nextProbeAt(health, now(), random());
      return isTimeUp() ? now() : null;
    }
  };
}
