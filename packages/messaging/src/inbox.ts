import type { EntityManager } from '@mikro-orm/postgresql';
import type { Envelope, EventType } from '@billing/contracts/event';
import { Problem } from '@billing/contracts/problem';
import {
  processorEvent,
  ProcessorEventCompleted,
  type Completion,
  type ProcessorEventData,
  type ProcessorEventType,
} from '@billing/contracts/processor-events';
import { isDatabaseUnavailable } from '@billing/service/database';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Receive, Verdict } from './bus.ts';
import {
  countFailure,
  deleteFailures as forgetFailures,
  storeDeadLetter as setAside,
  type Failure,
} from './dead-letters.ts';
import { inGroups } from './in-groups.ts';
import { limited } from './limited.ts';
import { record, recordAll, rowsOfMany } from './outbox.ts';
import type { BatchedItem as Told } from './publish-batched.ts';
import { isMarked, markProcessed as markAll, unmarkProcessed as unmarkAll } from './processed-events.ts';
import { SHORT_REST, type Rest } from './rest.ts';
import { completionOf } from './completion.ts';
import { currentTrace, type TraceCarrier } from './trace-carrier.ts';
import { timedTransaction } from './timed-transaction.ts';
import { withTimeout } from './with-timeout.ts';

import { PermanentFailure } from './consumer/dead-letter.ts';
export { PermanentFailure };
export { forgetProcessed } from './processed-events.ts';

/** What is done about a fact, in the transaction that also marks it as done. `known` is what `look` found out. */
type React<Data, Known> = (tx: EntityManager, data: Data, event: Envelope, known: Known) => Promise<void>;
/** What a reaction must ask others first; it stands before the transaction and may run more often than the effect. */
type Look<Data, Known> = (data: Data, event: Envelope) => Promise<Known>;

/** A fact that came with others, and the trace of what led to it. */
export interface Heard {
  readonly event: Envelope;
  readonly trace: TraceCarrier;
  /** Counts deliveries from 1. */
  readonly delivery: number;
}

/**
 * Does in one transaction what it can about facts that came at once, the oldest first, and answers those it did; each
 * of the others is then done by its own reaction. It asks nobody, and all that it does is undone if it throws.
 */
export type ReactTogether = (tx: EntityManager, heard: readonly Heard[]) => Promise<readonly Heard[]>;

interface Reaction {
  look(data: unknown, event: Envelope): Promise<unknown>;
  /** `attempts` is how many there were, this one included. */
  react(tx: EntityManager, data: unknown, event: Envelope, known: unknown, attempts: number): Promise<void>;
  /** Tells of a failure that is final. */
  giveUp(tx: EntityManager, data: unknown, event: Envelope, failure: Failure): void;
  /** Reports that it is done, after so many attempts; absent where nobody awaits that. */
  report?(heard: Heard, attempts: number): Told<Completion>;
}

/** After so many failures a fact is set aside. */
const MAX_ATTEMPTS = 8;
/** A reaction that takes longer is taken for stuck, in milliseconds. */
const REACTION_TIMEOUT_MS = 25_000;
/** Deliveries that ended without a word before the process itself is suspected of dying of them. */
const SILENT_DELIVERIES = 3;
/** Facts of which a process remembers that they failed; others may come again to another process. */
const MAX_REMEMBERED = 10_000;
/** How often a fact may come together with others. */
const DELIVERIES_TOGETHER = 2;
/** How long to wait for a database that is away before rpc for the fact again, in milliseconds. */
const DATABASE_AWAY_MS = 2_000;
const LONGEST_DELAY_MS = 30_000;
/** Facts of a consumer that reacts together that are done one by one at the same time. */
const ALONE_AT_ONCE = 8;
/** How long one statement, one lock and all of a transaction for many facts may take, in milliseconds. */
const TOGETHER_TIMEOUTS_MS = { statement: 4_000, lock: 1_000, total: 10_000 };

/** What a consumer that reacts together asks of the bus: as many facts in hand as make two groups. */
export const TOGETHER = { concurrency: 4_096 } as const;

/** What one consumer does about the facts it knows; the others it lets pass. */
export class Inbox {
  readonly #em: EntityManager;
  readonly #consumer: string;
  readonly #logger: Logger;
  readonly #reactions = new Map<string, Reaction>();
  readonly #inTurn = limited(ALONE_AT_ONCE);
  readonly #oneByOne = limited(1);
  /** Facts that failed in this process and are still to come again. */
  readonly #failed = new Set<string>();
  #together: ((heard: Heard) => Promise<'done' | 'left'>) | undefined;

  constructor(em: EntityManager, consumer: string, logger: Logger) {
    this.#em = em;
    this.#consumer = consumer;
    this.#logger = logger;
  }

  /** Reacts to a fact inside the transaction that marks it as done. */
  on<Data extends z.ZodType>(type: EventType<Data>, react: React<z.output<Data>, undefined>): this {
    return this.onLooking(type, async () => undefined, react);
  }

  /** Reacts to a fact that needs a look elsewhere (the processor, another service) before the transaction opens. */
  onLooking<Data extends z.ZodType, Known>(
    type: EventType<Data>,
    look: Look<z.output<Data>, Known>,
    react: React<z.output<Data>, Known>,
  ): this {
    return this.#add(type.name, {
      look: async (data, event) => look(type.data.parse(data), event),
      react: async (tx, data, event, known) => react(tx, type.data.parse(data), event, known as Known), // it is what this reaction's own look found
      giveUp: () => undefined,
    });
  }

  /** Reacts to what the processor said, and settles the event in the same transaction: processed, or failed at last. */
  onProcessor<Known>(
    type: ProcessorEventType,
    look: Look<ProcessorEventData, Known>,
    react: React<ProcessorEventData, Known>,
  ): this {
    const fact = processorEvent(type);
    return this.#add(fact.name, {
      look: async (data, event) => look(fact.data.parse(data), event),
      react: async (tx, data, event, known, attempts) => {
        await react(tx, fact.data.parse(data), event, known as Known); // it is what this reaction's own look found
        record(tx, ProcessorEventCompleted, event.teamId, {
          completions: [{ ...completionOf(event, null), attempts }],
        });
      },
      giveUp: (tx, _data, event, failure) =>
        record(tx, ProcessorEventCompleted, event.teamId, { completions: [completionOf(event, failure)] }),
      report: ({ event, trace }, attempts) => {
        return { teamId: event.teamId, item: { ...completionOf(event, null), attempts }, trace };
      },
    });
  }

  /**
   * Reacts in one transaction to facts that come at the same time. Every one of them needs a reaction of its own as
   * well: for when it is left, delivered once too often, or spoils the company it came in.
   */
  together(react: ReactTogether, rest: Rest = SHORT_REST): this {
    this.#together = inGroups(heard => this.#reactTogether(react, heard), { weigh: thingsIn, linger: rest });
    return this;
  }

  #add(name: string, reaction: Reaction): this {
    if (this.#reactions.has(name)) throw new Error(`${this.#consumer} reacts to ${name} already.`);
    this.#reactions.set(name, reaction);
    return this;
  }

  /**
   * Reacts at most once to a fact: the mark and the effect commit together or not at all. A fact that fails is
   * delivered again with growing delay and set aside after its attempts; one that kills the process is found by its
   * silent deliveries. While the database or something else is away, facts wait and spend no attempts.
   */
  readonly receive: Receive = async (event, delivery) => {
    const reaction = this.#reactions.get(event.type);
    if (!reaction) return { kind: 'done' };
    try {
      const alone = () => this.#reactAlone(reaction, event, delivery);
      // Whatever is in hand beside a fact that kills the process would come under the same suspicion.
      if (delivery > SILENT_DELIVERIES) await this.#oneByOne(alone);
      else if (!this.#together) await alone();
      else if (!this.#mayJoin(event, delivery) || (await this.#together(heardNow(event, delivery))) === 'left')
        await this.#inTurn(alone);
      this.#failed.delete(event.id);
      return { kind: 'done' };
    } catch (err) {
      return this.#afterFailure(reaction, event, delivery, err);
    }
  };

  /** A fact that comes for the second time may have been in hand in a process that ended; one that failed here may not. */
  #mayJoin({ id }: Envelope, delivery: number): boolean {
    return delivery <= DELIVERIES_TOGETHER && !this.#failed.has(id);
  }

  async #reactAlone(reaction: Reaction, event: Envelope, delivery: number): Promise<void> {
    if (delivery > SILENT_DELIVERIES && (await this.#isSuspect(event, reaction))) return;
    await withTimeout(this.#reactOnce(reaction, event, delivery), REACTION_TIMEOUT_MS, event.type);
  }

  async #reactOnce(reaction: Reaction, event: Envelope, delivery: number): Promise<void> {
    if (await isMarked(this.#em, this.#consumer, event.id)) return;
    const known = await reaction.look(event.data, event);
    await this.#em.fork().transactional(async tx => {
      const marked = await markAll(tx, this.#consumer, [event.id]);
      if (marked.size === 0) return;
      const counts = await forgetFailures(tx, this.#consumer, delivery > 1 ? [event.id] : []);
      const failures = counts.get(event.id) ?? 0;
      // A delivery that is suspected was counted before it ran.
      const attempts = delivery > SILENT_DELIVERIES ? Math.max(failures, 1) : failures + 1;
      await reaction.react(tx, event.data, event, known, attempts);
    });
  }

  async #reactTogether(react: ReactTogether, heard: readonly Heard[]): Promise<('done' | 'left')[]> {
    const work = (tx: EntityManager) => this.#reactMarked(tx, react, heard);
    const what = `${this.#consumer} together`;
    const left =
      heard.length === 1
        ? await withTimeout(this.#em.fork().transactional(work), REACTION_TIMEOUT_MS, what)
        : await timedTransaction(this.#em, { ...TOGETHER_TIMEOUTS_MS, what }, work);
    return heard.map(({ event }) => (left.has(event.id) ? 'left' : 'done'));
  }

  /** Answers the ids of the facts that were left. */
  async #reactMarked(tx: EntityManager, react: ReactTogether, heard: readonly Heard[]): Promise<ReadonlySet<string>> {
    const byId = new Map(heard.map(it => [it.event.id, it]));
    const marked = await markAll(tx, this.#consumer, [...byId.keys()]);
    const fresh = [...byId.values()].filter(({ event }) => marked.has(event.id));
    if (fresh.length === 0) return new Set();
    const done = new Set(await react(tx, fresh));
    const left = fresh.filter(it => !done.has(it)).map(({ event }) => event.id);
    await unmarkAll(tx, this.#consumer, left);
    const again = [...done].filter(({ delivery }) => delivery > 1).map(({ event }) => event.id);
    const failures = await forgetFailures(tx, this.#consumer, again);
    const reports = [...done].flatMap(
      it => this.#reactions.get(it.event.type)?.report?.(it, 1 + (failures.get(it.event.id) ?? 0)) ?? [],
    );
    await recordAll(
      tx,
      rowsOfMany(ProcessorEventCompleted, reports, completions => ({ completions })),
    );
    return new Set(left);
  }

  /** Counts a delivery before it runs, since the ones before it may have taken the process down; true once it was set aside. */
  async #isSuspect(event: Envelope, reaction: Reaction): Promise<boolean> {
    const attempts = await countFailure(
      this.#em,
      this.#consumer,
      event,
      'The delivery before this one did not come to an end.',
    );
    if (attempts <= MAX_ATTEMPTS) return false;
    await this.#giveUp(reaction, event, {
      attempts,
      error: 'No delivery came to an end; the process may have died of it.',
    });
    return true;
  }

  async #afterFailure(reaction: Reaction, event: Envelope, delivery: number, err: unknown): Promise<Verdict> {
    const context = { err, eventId: event.id, type: event.type, teamId: event.teamId, delivery };
    // A delivery that is suspected was counted before it ran.
    const isCounted = delivery > SILENT_DELIVERIES;
    if (isDatabaseUnavailable(err)) {
      this.#logger.warn(context, 'database away, the fact waits');
      return { kind: 'again', delayMs: DATABASE_AWAY_MS };
    }
    if (err instanceof Problem && err.kind === 'unavailable') {
      this.#logger.warn(context, 'something is away, the fact waits');
      if (isCounted) await countFailure(this.#em, this.#consumer, event, err.message, -1);
      return { kind: 'again', delayMs: Math.min(250 * 2 ** Math.min(delivery, 8), LONGEST_DELAY_MS) };
    }
    const error = err instanceof Error ? err.message : String(err);
    const attempts = await countFailure(this.#em, this.#consumer, event, error, isCounted ? 0 : 1);
    if (attempts < MAX_ATTEMPTS && !(err instanceof PermanentFailure)) {
      if (this.#failed.size >= MAX_REMEMBERED) this.#failed.clear();
      this.#failed.add(event.id);
      this.#logger.warn({ ...context, attempts }, 'reaction failed, will try again');
      return { kind: 'again', delayMs: Math.min(250 * 2 ** attempts, LONGEST_DELAY_MS) };
    }
    await this.#giveUp(reaction, event, { attempts, error });
    this.#failed.delete(event.id);
    return { kind: 'done' };
  }

  async #giveUp(reaction: Reaction, event: Envelope, failure: Failure): Promise<void> {
    await this.#em.fork().transactional(async tx => {
      if (await setAside(tx, this.#consumer, event, failure)) reaction.giveUp(tx, event.data, event, failure);
    });
    this.#logger.error({ eventId: event.id, type: event.type, teamId: event.teamId, ...failure }, 'fact set aside');
  }
}

/** How many things a fact tells of: one that tells many holds them in an array. */
function thingsIn({ event }: Heard): number {
  const lengths = Object.values(Object(event.data)).map(value => (Array.isArray(value) ? value.length : 1));
  return Math.max(1, ...lengths);
}

const heardNow = (event: Envelope, delivery: number): Heard => ({ event, trace: currentTrace(), delivery });
