import type { EntityManager } from '@mikro-orm/postgresql';
import { isWanted } from '@billing/contracts/event-types';
import { WebhookDeliveryId } from '@billing/contracts/ids';
import type { Logger } from 'pino';
import { afterAttempt, isSuccess, nextProbeAt, type EndpointHealth } from '#domain/endpoint-health.ts';
import { holdsLaterOnes, IN_ORDER_FAILURES, nextAttemptAt } from '#domain/retry-schedule.ts';
import { signedHeaders } from '#domain/sent-signature.ts';
import { openChains } from './chains.ts';
import {
  commitDeliveries,
  LEASE_SECONDS,
  nextDueAt,
  readDue,
  readEvents,
  readLeft,
  releaseEndpoint,
  type DeliveryItem,
  type LeasedEndpoint,
  type Settled,
} from './endpoint-rows.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import type { Sender } from './sender.ts';
import type { Slots } from './slots.ts';

/** Events in memory of one endpoint. */
const WINDOW = 200;
/** After so long an endpoint that goes on having work lets others have their turn, in milliseconds. */
const TURN_MS = 5_000;
export const USER_AGENT = 'Billing-Webhooks/1';

interface DeliverParts {
  readonly em: EntityManager;
  readonly sender: Sender;
  readonly keysOf: (endpoint: Pick<LeasedEndpoint, 'id' | 'teamId'>) => Promise<EndpointKeys>;
  readonly slots: Slots;
  readonly now: () => Date;
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * Sends to one leased endpoint what it has not got, until nothing is due or its turn ends. Events of one object follow each
 * other; others pass them. What was tried is committed as it ends, together with how far the endpoint is, so that after a
 * crash only what was not committed is sent again, under the same id.
 */
export function deliverTo({ em, sender, keysOf, slots, now, random, logger }: DeliverParts) {
  return async (endpoint: LeasedEndpoint, signal: AbortSignal): Promise<void> => {
    const keys = await keysOf(endpoint);
    const url = new URL(endpoint.url);
    const { ahead, held } = await readLeft(em, endpoint, IN_ORDER_FAILURES);
    const chains = openChains<DeliveryItem>();
    /** Positions in memory, and those of them that move the cursor. */
    const inMemory = new Set<number>();
    const open = new Set<number>();
    let settled: Settled[] = [];
    let health: EndpointHealth = endpoint;
    let [read, onTheirWay, isHeld, hasProbed] = [endpoint.position, 0, true, false];
    let wake: () => void = () => undefined;
    const endsAt = performance.now() + TURN_MS;
    const room = slots.open(endpoint.teamId);

    /** A failing or disabled endpoint gets one event, or none. */
    const limit = () => (health.status === 'failing' ? 1 : health.status === 'disabled' ? 0 : endpoint.maxConcurrency);
    const isOver = () =>
      signal.aborted || !isHeld || hasProbed || performance.now() > endsAt || health.status === 'disabled';

    const settle = (item: DeliveryItem, result: Omit<Settled, 'item' | 'id' | 'createdAt'>): void => {
      const { id, createdAt } = item.delivery ?? { id: WebhookDeliveryId.create(), createdAt: now() };
      settled.push({ item, id, createdAt, ...result });
    };
    /** Lets an event wait until an earlier one of its object is tried again. */
    const hold = (item: DeliveryItem, nextAttemptAtOfEarlier: Date): void => {
      const { attempts = 0, failures = 0 } = item.delivery ?? {};
      settle(item, { status: 'pending', attempts, failures, nextAttemptAt: nextAttemptAtOfEarlier, attempt: null });
    };

    const addEvents = async (): Promise<void> => {
      const events = await readEvents(em, endpoint, read, WINDOW);
      for (const event of events) {
        read = event.position;
        const isFor = isWanted(endpoint.eventTypes, event.type) && (endpoint.includeSync || !event.isFromSync);
        if (!isFor || ahead.has(event.position)) continue;
        open.add(event.position);
        inMemory.add(event.position);
        const until = held.get(event.objectKey);
        if (until && until > now()) hold(event, until);
        else chains.add(event);
      }
    };
    const addDue = async (): Promise<void> => {
      for (const item of await readDue(em, endpoint, now(), WINDOW)) {
        if (inMemory.has(item.position)) continue;
        inMemory.add(item.position);
        if (item.body === null && item.delivery) {
          const { attempts, failures } = item.delivery;
          settle(item, { status: 'canceled', attempts, failures, nextAttemptAt: null, attempt: null });
        } else chains.add(item);
      }
    };

    const attempt = async (item: DeliveryItem): Promise<void> => {
      const body = Buffer.from(item.body ?? '');
      const at = now();
      const headers = {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...signedHeaders(keys(at), { id: item.eventId, at, body }),
      };
      const sent = await sender.send(url, headers, body);
      const { attempts, failures, trigger } = item.delivery ?? { attempts: 0, failures: 0, trigger: 'automatic' };
      const ended = now();
      health = afterAttempt(health, { at: ended, objectKey: item.objectKey, responseStatus: sent.responseStatus });
      hasProbed = health.status === 'failing';
      const tried = { attempts: attempts + 1, attempt: { at, sent } };
      if (isSuccess(sent.responseStatus)) {
        held.delete(item.objectKey);
        return settle(item, { ...tried, status: 'succeeded', failures, nextAttemptAt: null });
      }
      const counted = trigger === 'manual' ? failures : failures + 1;
      const next = nextAttemptAt({
        failures: Math.max(counted, 1),
        at: ended,
        retryAfterMs: sent.retryAfterMs,
        random: random(),
      });
      settle(item, { ...tried, status: next ? 'pending' : 'failed', failures: counted, nextAttemptAt: next });
      if (!next || !holdsLaterOnes(counted)) return;
      held.set(item.objectKey, next);
      for (const behind of chains.takeBehind(item.objectKey)) hold(behind, next);
    };
    const start = (): void => {
      while (!isOver() && onTheirWay < limit() && room.take()) {
        const item = chains.next();
        if (!item) return room.giveBack();
        onTheirWay += 1;
        void attempt(item)
          .catch((err: unknown) => logger.error({ err, endpointId: endpoint.id }, 'attempt to deliver failed'))
          .finally(() => {
            onTheirWay -= 1;
            room.giveBack();
            chains.settle(item.objectKey);
            wake();
          });
      }
    };
    const commit = async (): Promise<void> => {
      const ending = settled;
      settled = [];
      for (const { item } of ending) open.delete(item.position);
      const position = open.size === 0 ? read : Math.min(...open) - 1;
      isHeld = await commitDeliveries(em, endpoint, { settled: ending, position, health });
      for (const { item } of ending) inMemory.delete(item.position);
    };

    let lastCommit = performance.now();
    try {
      for (;;) {
        if (!isOver() && chains.waiting() < WINDOW / 2) {
          await addDue();
          if (health.status === 'enabled' || chains.waiting() === 0) await addEvents();
        }
        start();
        const isIdle = onTheirWay === 0 && (isOver() || chains.waiting() === 0 || limit() === 0);
        if (settled.length > 0 || performance.now() - lastCommit > (LEASE_SECONDS / 3) * 1_000) {
          await commit();
          lastCommit = performance.now();
        } else if (isIdle) break;
        else if (onTheirWay > 0 || !room.isFree())
          await new Promise<void>(resolve => {
            const timer = setTimeout(resolve, 1_000);
            wake = () => (clearTimeout(timer), resolve());
            room.onFree(wake);
          });
      }
      await commit();
      const dueAt = signal.aborted || performance.now() > endsAt ? now() : await nextTurnAt();
      await releaseEndpoint(em, endpoint, { read, dueAt });
    } finally {
      room.close();
    }

    function nextTurnAt(): Promise<Date | null> | Date {
      if (health.status !== 'failing') return nextDueAt(em, endpoint);
      return nextProbeAt(health, now(), random());
    }
  };
}
