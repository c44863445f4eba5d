import type { EntityManager } from '@mikro-orm/postgresql';
import { openBell } from '@billing/database/bell';
import type { Logger } from 'pino';
import { afterAttempt, nextProbeAt } from '#domain/endpoint-health.ts';
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
import { BEGIN_MS, beginTurn, clockSince } from './turn.ts';

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
  /** Commits what disables an endpoint, or what warns its owners, and reports that. */
  readonly report: (endpoint: LeasedEndpoint, progress: Progress) => Promise<EndpointNews | undefined>;
  /** Calls back when events of a team were recorded, until the returned function is called. */
  readonly onRecorded: (teamId: string, callback: () => void) => () => void;
  /** Whether other endpoints wait for their turn. */
  readonly isCrowded: () => boolean;
  readonly onAttempt: (sent: Sent) => void;
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * Sends to one leased endpoint what it has not got, until nothing is due or its turn ends. Events of one object follow each
 * other; others pass them. What was tried is committed as it ends, together with how far the endpoint is, so that after a
 * crash only what was not committed is sent again, under the same id.
 */
export function deliverTo(parts: DeliverParts) {
  const { em, store, sender, keysOf, slots, paceOf, report, onRecorded, isCrowded, onAttempt, random, logger } = parts;
  const openBodies = openReadAhead();
  return async (endpoint: LeasedEndpoint, signal: AbortSignal): Promise<void> => {
    const turn = beginTurn(endpoint);
    const now = clockSince(endpoint);
    const endsAt = turn.committedAt + TURN_MS;
    const keys = await keysOf(endpoint);
    const recover = async (): Promise<void> => {
      turn.recoveredAt = performance.now();
      await continueRecovery(em, endpoint);
    };
    if (endpoint.isRecovering) await recover();
    const backlog = await openBacklog({ em, store, now }, endpoint);
    const pace = paceOf(endpoint.id, endpoint.maxConcurrency);
    const attemptParts = { sender, target: { url: endpoint.url, keys }, pace, now, random };
    const bodies = openBodies(positions => store.readBodies({ endpoint, positions }));
    const bell = openBell();
    const room = slots.open(endpoint.teamId);
    const stopListening = onRecorded(endpoint.teamId, () => {
      turn.isTold = true;
      bell.ring();
    });

    /** A failing endpoint gets one event at a time. */
    const limit = () => (turn.health.status === 'failing' ? 1 : pace.limit(performance.now()));
    const isTimeUp = () => signal.aborted || (isCrowded() && performance.now() > endsAt);
    const isOver = () =>
      isTimeUp() ||
      turn.hasFault ||
      turn.hasProbed ||
      performance.now() > turn.mayBeginUntil ||
      turn.health.status === 'disabled' ||
      turn.news?.version !== endpoint.version;
    const isIdle = () => backlog.waiting() + turn.onTheirWay + backlog.settled() === 0 && !turn.commit;
    /** Deliveries that are due come first, and are read between two commits; a busy endpoint has one after the other. */
    const mayFill = () => !turn.commit || !backlog.isDue(turn.news);
    const canRead = () => backlog.canRead(turn.news) && (turn.health.status === 'failing' ? isIdle() : mayFill());

    const send = async (item: DeliveryItem, stored: StoredBody | undefined): Promise<void> => {
      const result = await attempt(attemptParts, item, { stored, isProbe: turn.health.status === 'failing' });
      if (result.attempt) {
        const { sent } = result.attempt;
        onAttempt(sent);
        const { objectKey } = item;
        const wasFailing = turn.health.status === 'failing';
        turn.health = afterAttempt(turn.health, { at: result.endedAt, objectKey, responseStatus: sent.responseStatus });
        turn.hasAttempted = true;
        if (wasFailing && turn.health.status === 'enabled') turn.isReleasing = true;
        // Who has one sent by hand need not wait for the next probe.
        turn.hasProbed = turn.health.status === 'failing' && item.delivery?.trigger !== 'manual';
      }
      backlog.end(item, result);
    };
    const canStart = () =>
      !isOver() &&
      !turn.isReleasing &&
      turn.onTheirWay < limit() &&
      backlog.hasNext() &&
      // What is not written is sent again after a crash.
      backlog.settled() + turn.beingWritten < MAX_UNWRITTEN;
    const start = (): void => {
      while (canStart()) {
        const giveBack = room.take(pace.isProven(performance.now()));
        if (!giveBack) return room.onFree(bell.ring);
        const item = backlog.next();
        if (!item) return giveBack();
        turn.onTheirWay += 1;
        void bodies
          .take(
            item.position,
            backlog.first(limit()).map(({ position }) => position),
          )
          .then(stored => send(item, stored))
          .catch((err: unknown) => {
            turn.hasFault = true;
            logger.error({ err, endpointId: endpoint.id }, 'attempt to deliver failed');
          })
          .finally(() => {
            turn.onTheirWay -= 1;
            giveBack();
            bell.ring();
          });
      }
    };
    const commit = async (): Promise<void> => {
      const [taken, { status, isWarned }] = [backlog.take(), turn.health];
      const progress = { settled: taken.settled, position: taken.position, health: turn.health };
      turn.beingWritten = taken.settled.length;
      for (const { item } of taken.settled) bodies.forget(item.position);
      // Before the statement: what is recorded during it is looked for again.
      const startedAt = performance.now();
      turn.committedAt = turn.lookedAt = startedAt;
      turn.isTold = false;
      const isReported =
        (status === 'disabled' && turn.committed.status !== status) || (isWarned && !turn.committed.isWarned);
      turn.news = await (isReported ? report(endpoint, progress) : store.commit({ endpoint, ...progress }));
      turn.mayBeginUntil = startedAt + BEGIN_MS;
      const hasRecovered = turn.committed.status === 'failing' && status === 'enabled';
      turn.committed = { status, isWarned, position: taken.position };
      if (turn.news) await backlog.afterCommit(taken, hasRecovered);
      turn.beingWritten = 0;
    };
    /** Commits beside what is sent, one time after the other: what ends meanwhile goes into the next one. */
    const write = (): void => {
      if (turn.commit || (backlog.settled() === 0 && performance.now() - turn.committedAt < EXTEND_MS)) return;
      turn.commit = commit()
        .catch((err: unknown) => void (turn.failure = { err }))
        .finally(() => {
          turn.commit = undefined;
          bell.ring();
        });
    };
    const requireWritten = (): void => {
      if (turn.failure) throw turn.failure.err;
    };

    try {
      for (;;) {
        bell.reset();
        requireWritten();
        if (!backlog.isDue(turn.news)) write();
        const isLate = performance.now() - turn.lookedAt > LOOK_MS || (turn.isTold && !backlog.canRead(turn.news));
        // A commit brings news too.
        if (isLate && !turn.commit) {
          [turn.lookedAt, turn.isTold] = [performance.now(), false];
          turn.news = await store.readNews(endpoint);
        }
        const mayRecover = turn.news?.isRecovering && performance.now() - turn.recoveredAt > LOOK_MS;
        if (mayRecover && !isOver()) await recover();
        if (!turn.commit && backlog.settled() === 0) turn.isReleasing = false;
        if (!isOver() && turn.health.status !== 'failing') await (mayFill() && backlog.fill(turn.news));
        else if (!isOver() && isIdle()) await backlog.fillOne(turn.news);
        start();
        write();
        if (bell.hasRung() || (!isOver() && canRead())) continue;
        if (turn.onTheirWay === 0 && !turn.commit && (isOver() || backlog.waiting() === 0)) break;
        if (signal.aborted) turn.closesAt = Math.min(turn.closesAt, performance.now() + CLOSE_MS);
        if (performance.now() > turn.closesAt) break;
        await bell.wait(LOOK_MS);
      }
      await turn.commit;
      requireWritten();
      if (turn.committed.position !== backlog.position() || backlog.settled() > 0) await commit();
      // Whoever leases it once this lease has ended sends again what is on its way.
      if (turn.onTheirWay > 0) return;
      const known = { calls: backlog.calls(), version: endpoint.version };
      const notBefore = turn.hasFault ? new Date(now().getTime() + FAULT_MS) : null;
      await store.release({ endpoint, known, read: backlog.read(), dueAt: nextTurnAt(), notBefore });
    } finally {
      stopListening();
      room.close();
      bodies.close();
    }

    function nextTurnAt(): Date | null {
      if (turn.health.status === 'failing' && turn.hasAttempted) return nextProbeAt(turn.health, now(), random());
      return isTimeUp() ? now() : null;
    }
  };
}
