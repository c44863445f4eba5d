import type { NewEvent } from './outbox.ts';

/** Events of one committed transaction, leased for the relay of this process. */
export interface CommittedBatch {
  readonly events: readonly NewEvent[];
  readonly leaseId: string;
  /** When they were inserted, by the process's monotonic clock in milliseconds. */
  readonly insertedAt: number;
}

/** An event that the relay of this process publishes from memory. */
export interface CommittedEvent extends NewEvent {
  readonly leaseId: string;
}

/** Hands the events of committed transactions to the relay of the same process, so that it need not read them back. */
export interface CommittedEvents {
  /** Whether there is room in memory; what finds none is left to the table. */
  hasRoom(): boolean;
  add(batch: CommittedBatch): void;
  /** Events were committed that only the table holds. */
  missed(): void;
  /** Takes up to `limit` events, the oldest first; those whose lease is about to end are left to the table. */
  take(limit: number): CommittedEvent[];
  /** Returns whether events were left to the table since the last call. */
  takeMissed(): boolean;
  /** `listener` runs after each commit that leaves something to publish. */
  onCommit(listener: () => void): void;
}

/** Events and characters in memory. */
const MAX_EVENTS = 4_000;
const MAX_CHARACTERS = 16 * 1_048_576;
/** A lease this old is too near its end to publish under, in milliseconds. */
const TOO_OLD_MS = 4_000;

/** Opens the queue between a process's transactions and its relay. */
export function openCommittedEvents(): CommittedEvents {
  let waiting: { readonly event: CommittedEvent; readonly insertedAt: number }[] = [];
  let characters = 0;
  let hasMissed = false;
  let notify: () => void = () => undefined;

  return {
    hasRoom: () => waiting.length <= MAX_EVENTS && characters <= MAX_CHARACTERS,
    add({ events, leaseId, insertedAt }) {
      for (const event of events) {
        waiting.push({ event: { ...event, leaseId }, insertedAt });
        characters += event.data.length;
      }
      notify();
    },
    missed() {
      hasMissed = true;
      notify();
    },
    take(limit) {
      const taken = waiting.slice(0, limit);
      waiting = waiting.slice(taken.length);
      for (const { event } of taken) characters -= event.data.length;
      const oldest = performance.now() - TOO_OLD_MS;
      return taken.flatMap(({ event, insertedAt }) => (insertedAt > oldest ? [event] : []));
    },
    takeMissed() {
      const missed = hasMissed;
      hasMissed = false;
      return missed;
    },
    onCommit(listener) {
      notify = listener;
    },
  };
}
