import type { EventId, WebhookDeliveryId } from '@billing/contracts/ids';
import { holdsLaterOnes } from './retry-schedule.rules.ts';
import type { Sent } from './sender.ts';

/** An event that is to be sent to an endpoint: a row of its deliveries, or one that it is about to have. */
export interface DeliveryItem {
  readonly id: WebhookDeliveryId;
  /** As text, since a `Date` has no microseconds. */
  readonly createdAt: string;
  /** Its event lies behind the cursor, and it has no row yet. */
  readonly isNew: boolean;
  readonly position: number;
  readonly eventId: EventId;
  readonly type: string;
  readonly objectKey: string;
  /** The bytes that are sent; null when the event is gone. */
  readonly body: string | null;
  /** The personal data of its customer are gone. */
  readonly isErased: boolean;
  readonly attempts: number;
  readonly failures: number;
  /** Why it is sent next. */
  readonly trigger: 'automatic' | 'manual' | 'recovery';
  readonly nextAttemptAt: Date | null;
  /** When an earlier event of the object is tried again: until then this one waits. */
  readonly heldUntil: Date | null;
}

/** What is known of a delivery once it was tried, or because it has to wait. */
export interface Outcome {
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  readonly attempts: number;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly attempt: { readonly at: Date; readonly sent: Sent } | null;
}

/** An outcome that is to be written. */
export interface Ended extends Outcome {
  readonly item: DeliveryItem;
}

/**
 * Opens what one endpoint is to be sent, as far as it is in memory: by position, those of an object one after the other. What
 * has to wait until an earlier event of its object is tried again ends as pending, so that the cursor passes it.
 */
export function openSendQueue(position: number) {
  /** How far events were read. */
  let read = position;
  /** In the order of their positions. */
  const waiting: DeliveryItem[] = [];
  /** By object: each has one at most. */
  const onTheirWay = new Map<string, DeliveryItem>();
  const ended: Ended[] = [];

  const insert = (item: DeliveryItem): void => {
    let place = waiting.length;
    while (place > 0 && (waiting[place - 1]?.position ?? 0) > item.position) place -= 1;
    waiting.splice(place, 0, item);
  };
  const hold = (item: DeliveryItem, nextAttemptAt: Date): void => {
    const { attempts, failures } = item;
    ended.push({ item, status: 'pending', attempts, failures, nextAttemptAt, attempt: null });
  };
  return {
    waiting: () => waiting.length,
    onTheirWay: () => onTheirWay.size,
    unwritten: () => ended.length,
    read: () => read,
    /** How far the endpoint is once everything that ended is written. */
    position(): number {
      const open = [...waiting, ...onTheirWay.values()].filter(({ isNew }) => isNew);
      return open.reduce((first, item) => Math.min(first, item.position - 1), read);
    },
    /** Adds what was read; deliveries that it has already are passed over. */
    add(items: readonly DeliveryItem[], readUpTo: number): void {
      const known = [...waiting, ...onTheirWay.values(), ...ended.map(({ item }) => item)];
      const ids = new Set(known.map(({ id }) => id));
      // What ended since the last commit, which the database does not know.
      const holding = ended.filter(retriedAt);
      read = readUpTo;
      for (const item of items) {
        if (ids.has(item.id)) continue;
        const earlier = holding.filter(one => isBehind(item, one.item));
        const until = earlier.map(retriedAt).reduce(latest, item.heldUntil);
        if (until) hold(item, until);
        else insert(item);
      }
    },
    /** Whether `next` would return one. */
    hasNext: () => waiting.some(({ objectKey }) => !onTheirWay.has(objectKey)),
    /** Takes the first event whose object has none on its way. */
    next(): DeliveryItem | undefined {
      const place = waiting.findIndex(({ objectKey }) => !onTheirWay.has(objectKey));
      const [item] = place < 0 ? [] : waiting.splice(place, 1);
      if (item) onTheirWay.set(item.objectKey, item);
      return item;
    },
    /** What was taken has ended; if it is tried again, later events of its object wait for it. */
    end(item: DeliveryItem, outcome: Outcome): void {
      const one = { item, ...outcome };
      onTheirWay.delete(item.objectKey);
      ended.push(one);
      const until = retriedAt(one);
      if (!until) return;
      for (const behind of waiting.filter(other => isBehind(other, item))) {
        waiting.splice(waiting.indexOf(behind), 1);
        hold(behind, until);
      }
    },
    /** What was taken was not sent after all. */
    putBack(item: DeliveryItem): void {
      onTheirWay.delete(item.objectKey);
      insert(item);
    },
    /** What ended and is not written. */
    ended: (): readonly Ended[] => ended.slice(),
    /** So many of what ended first are written. */
    forget: (count: number): void => void ended.splice(0, count),
  };
}

/** When an event is tried again that later ones of its object wait for. */
const retriedAt = ({ status, failures, nextAttemptAt }: Outcome): Date | null =>
  status === 'pending' && holdsLaterOnes(failures) ? nextAttemptAt : null;

/** Whether an event waits for another one. Who has one sent by hand need not wait. */
const isBehind = (item: DeliveryItem, other: DeliveryItem): boolean =>
  item.objectKey === other.objectKey && item.position > other.position && item.trigger !== 'manual';

const latest = (one: Date | null, other: Date | null): Date | null => (one && (!other || one > other) ? one : other);
