import type { EntityManager } from '@mikro-orm/postgresql';
import type { Envelope, EventType } from '@billing/contracts/event';
import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import type { Linger } from '@billing/database/linger';
import type { z } from 'zod';
import type { Publish } from '../new-event.ts';
import type { semaphore } from '../semaphore.ts';
import type { Delivery, HandleInTransaction } from './delivery.ts';

/**
 * Handles a batch of deliveries in one transaction; a single event is a batch of one. It may run twice, late and out of
 * order. It returns the deliveries that need `prepare` before they can be handled; of these it must have changed nothing.
 */
type HandleDeliveries<Data, Context> = (
  tx: EntityManager,
  deliveries: readonly Delivery<Data, Context>[],
  publish: Publish,
) => Promise<readonly Delivery<Data, Context>[] | void>;

/** What is done about events of one or more types. */
export interface EventHandler<Data, Context> {
  readonly handle: HandleDeliveries<Data, Context>;
  /**
   * Finds out, outside of any transaction, what `handle` needs from Stripe or another service. The delivery then comes back
   * with the result as its context. It may run more often than `handle`. Write it before `handle`, whose types depend on it.
   */
  readonly prepare?: (delivery: Delivery<Data>) => Promise<Context>;
}

export interface ConsumerOptions {
  /** How long a batch waits for more events; short unless given. */
  readonly linger?: Linger;
  /** Deliveries in flight of one process; 512 unless given. */
  readonly maxInFlight?: number;
  /** Limits the batches that run at the same time; share one between consumers that lock the same rows. */
  readonly limitBatches?: ReturnType<typeof semaphore>;
  /** Whether an event can change anything here, by its content alone: others are acknowledged at once. All, unless given. */
  readonly concerns?: (event: Envelope) => boolean;
}

/** A handler without its types: parsing and typing happen inside. */
export interface RegisteredHandler {
  readonly handle: HandleInTransaction;
  readonly prepare: ((delivery: Delivery) => Promise<unknown>) | undefined;
  /** Whether it handles Stripe's events, whose outcome is reported with `processor-event.completed`. */
  readonly reportsCompletion: boolean;
}

/** A durable reader of the bus: the events that it receives, and what is done about each type. Other types are ignored. */
export class Consumer {
  readonly name: string;
  readonly filter: string;
  readonly options: ConsumerOptions;
  readonly #handlers = new Map<string, RegisteredHandler>();

  constructor(name: string, filter: string, options: ConsumerOptions) {
    this.name = name;
    this.filter = filter;
    this.options = options;
  }

  /** Handles events of the given types, which share the shape of their data. */
  on<Data extends z.ZodType, Context = never>(
    types: EventType<Data> | readonly EventType<Data>[],
    handler: EventHandler<z.output<Data>, Context> | HandleDeliveries<z.output<Data>, Context>,
  ): this {
    return this.#register('name' in types ? [types] : types, handler, false);
  }

  /** Handles Stripe's events that were routed to a project, and reports how the handling ended. */
  onProcessorEvent<Context = never>(
    types: ProcessorEventType | readonly ProcessorEventType[],
    handler: EventHandler<ProcessorEventData, Context> | HandleDeliveries<ProcessorEventData, Context>,
  ): this {
    const ofTypes = typeof types === 'string' ? [types] : types;
    return this.#register(ofTypes.map(processorEvent), handler, true);
  }

  /** Whether it does anything about an event. */
  handles(event: Envelope): boolean {
    return this.#handlers.has(event.type) && (this.options.concerns?.(event) ?? true);
  }

  /** The handler of an event type, if this consumer has one. */
  handlerOf(type: string): RegisteredHandler | undefined {
    return this.#handlers.get(type);
  }

  #register<Data extends z.ZodType, Context>(
    types: readonly EventType<Data>[],
    handler: EventHandler<z.output<Data>, Context> | HandleDeliveries<z.output<Data>, Context>,
    reportsCompletion: boolean,
  ): this {
    type Parsed = Delivery<z.output<Data>, Context>;
    const {
      handle,
      prepare,
    }: EventHandler<z.output<Data>, Context> = typeof handler === 'function' ? { handle: handler } : handler;
    const schemas = new Map(types.map(({ name, data }) => [name, data]));
    const parse = (delivery: Delivery): Parsed => {
      const data = schemas.get(delivery.event.type)?.parse(delivery.event.data);
      return { ...delivery, data } as Parsed; // the context is what this handler's own `prepare` returned
    };
    const registered: RegisteredHandler = {
      reportsCompletion,
      prepare: prepare && (async delivery => prepare(parse(delivery))),
      handle: async (tx, deliveries, publish) => {
        const left = new Set((await handle(tx, deliveries.map(parse), publish))?.map(({ event }) => event.id));
        return deliveries.filter(({ event }) => left.has(event.id));
      },
    };
    for (const { name } of types) {
      if (this.#handlers.has(name)) throw new Error(`The consumer ${this.name} has two handlers for ${name}.`);
      this.#handlers.set(name, registered);
    }
    return this;
  }
}

/**
 * Declares a consumer. `name` is the durable name under which the bus remembers its position; `filter` is one subject,
 * wildcards allowed, without the root.
 */
export const consumer = (name: string, filter: string, options: ConsumerOptions = {}): Consumer =>
  new Consumer(name, filter, options);
