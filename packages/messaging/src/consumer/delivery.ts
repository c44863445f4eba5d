import type { EntityManager } from '@mikro-orm/postgresql';
import type { Envelope } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import type { Publish } from '../new-event.ts';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

/** One attempt of the bus to hand an event to a consumer. */
export interface Delivery<Data = unknown, Context = unknown> {
  readonly event: Envelope;
  /** The team whose service published the event. */
  readonly teamId: TeamId;
  readonly data: Data;
  /** Counts from 1. */
  readonly attempt: number;
  readonly trace: TraceCarrier;
  /** What the handler's `prepare` returned; undefined before it ran. */
  readonly context: Context | undefined;
  /** Whether it must not share a batch: it failed before, or may have crashed the process. */
  readonly isAlone: boolean;
  /** About, on the bus: its part of a message with several events. */
  readonly bytes: number;
  /** After so many failures the event is a dead letter; eight unless given. */
  readonly maxAttempts?: number;
}

/** Deliveries without an end after which an event is suspected of crashing the process. */
const MAX_UNFINISHED = 3;

/** Whether the deliveries before this one may have crashed the process: a suspect is counted before it is handled. */
export const isSuspect = ({ attempt }: Pick<Delivery, 'attempt'>): boolean => attempt > MAX_UNFINISHED;

/** How a delivery ends: acknowledged, or delivered again after `delayMs`. */
export type Acknowledgement = { readonly kind: 'ack' } | { readonly kind: 'redeliver'; readonly delayMs: number };

/** Takes a delivery from the bus. A rejection means redelivery. */
export type Receive = (delivery: Delivery) => Promise<Acknowledgement>;
/** Handles a delivery, or throws why it could not. */
export type Handle = (delivery: Delivery) => Promise<void>;
/** Handles a delivery as part of a batch; `unprepared` when its handler needs its `prepare` to run first. */
export type HandleBatched = (delivery: Delivery) => Promise<'handled' | 'unprepared'>;
/** Handles a batch in a transaction of its own, all or nothing; returns the deliveries that are unprepared. */
export type HandleBatch = (deliveries: readonly Delivery[]) => Promise<readonly Delivery[]>;
/** Handles a batch in the given transaction; returns the deliveries that are unprepared. */
export type HandleInTransaction = (
  tx: EntityManager,
  deliveries: readonly Delivery[],
  publish: Publish,
) => Promise<readonly Delivery[]>;
