import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TraceCarrier } from './trace-carrier.ts';

/** A fact as it goes to the bus. */
export interface RecordedFact {
  readonly id: string;
  readonly type: string;
  readonly teamId: string;
  /** JSON. */
  readonly data: string;
  readonly trace: TraceCarrier;
  /** Milliseconds since 1970. */
  readonly occurredMs: number;
}

/** Facts of committed transactions, on their way to the relay of this process. */
export interface HandOver {
  /** Takes up to `limit` facts, the oldest first; those whose claim is about to end stay for whoever looks next. */
  take(limit: number): RecordedFact[];
  /** Ends it, and answers what nobody took. */
  close(): RecordedFact[];
}

/** How long facts that are handed over are claimed for the relay of their process; after a crash another finds them. */
export const HAND_OVER_SECONDS = 5;
/** A claim this old is too near its end to publish under, in milliseconds. */
const TOO_OLD_MS = 4_000;
/** Facts and characters of theirs in memory; what is recorded beyond is read from the table. */
const MAX_FACTS = 4_000;
const MAX_CHARACTERS = 16 * 1_048_576;

interface Held {
  readonly facts: readonly RecordedFact[];
  readonly since: number;
}

/** The hand-overs of this process by what all forks of an entity manager share. */
const open = new WeakMap<object, OpenHandOver>();

interface OpenHandOver {
  /** Answers false when it has enough. */
  hold(transaction: object, facts: readonly RecordedFact[]): boolean;
  /** A transaction records what is not handed over; undefined for one that is not open yet. */
  miss(transaction: object | undefined): void;
}

/**
 * Has the transactions of this process hand their facts to its relay once they have committed. `onCommit` hears of each
 * commit after which there is something to relay, and whether some of it is in the table alone.
 */
export function openHandOver(em: EntityManager, onCommit: (isInTable: boolean) => void): HandOver {
  const byTransaction = new WeakMap<object, Held>();
  const missedIn = new WeakSet<object>();
  let mayMiss = false;
  let waiting: { readonly fact: RecordedFact; readonly since: number }[] = [];
  let characters = 0;
  let isOpen = true;

  const subscriber: EventSubscriber = {
    afterTransactionCommit: ({ transaction }: TransactionEventArgs) => {
      if (!isOpen || !transaction) return;
      const held = byTransaction.get(transaction);
      for (const fact of held?.facts ?? []) {
        waiting.push({ fact, since: held?.since ?? 0 });
        characters += fact.data.length;
      }
      const isInTable = mayMiss || missedIn.has(transaction);
      mayMiss = false;
      if (held || isInTable) onCommit(isInTable);
    },
  };
  em.getEventManager().registerSubscriber(subscriber);
  open.set(em.getDriver(), {
    hold: (transaction, facts) => {
      if (!isOpen || waiting.length > MAX_FACTS || characters > MAX_CHARACTERS) return false;
      const earlier = byTransaction.get(transaction);
      const since = earlier?.since ?? performance.now();
      byTransaction.set(transaction, { facts: [...(earlier?.facts ?? []), ...facts], since });
      return true;
    },
    miss: transaction => {
      if (transaction) missedIn.add(transaction);
      else mayMiss = true;
    },
  });

  return {
    take(limit) {
      const taken = waiting.slice(0, limit);
      waiting = waiting.slice(taken.length);
      for (const { fact } of taken) characters -= fact.data.length;
      const oldest = performance.now() - TOO_OLD_MS;
      return taken.flatMap(({ fact, since }) => (since > oldest ? [fact] : []));
    },
    close() {
      isOpen = false;
      return waiting.map(({ fact }) => fact);
    },
  };
}

/**
 * Keeps facts for the relay of this process until the caller's transaction commits; false when there is none, or it has
 * enough. What is recorded within a savepoint may be undone alone, and is never kept.
 */
export function handOver(tx: EntityManager, facts: readonly RecordedFact[]): boolean {
  const transaction: object | undefined = tx.getTransactionContext();
  const isWhole = transaction !== undefined && !('savepointName' in transaction);
  if (isWhole && open.get(tx.getDriver())?.hold(transaction, facts)) return true;
  leaveInTable(tx);
  return false;
}

/** Has the relay of this process look at the table once the caller's transaction commits. */
export function leaveInTable(em: EntityManager): void {
  open.get(em.getDriver())?.miss(em.getTransactionContext());
}
