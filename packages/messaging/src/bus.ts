import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  StorageType,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { headers, nanos, type NatsConnection } from '@nats-io/transport-node';
import { envelope, type Envelope } from '@billing/contracts/event';
import type { Logger } from 'pino';
import { watchRoom } from './stream-room.ts';
import { withinTrace, type TraceCarrier } from './trace-carrier.ts';

/** Puts one encoded envelope on the bus; resolves when the broker has stored it. `id` makes a repeat harmless. */
export type Publish = (type: string, body: string, id: string, trace: TraceCarrier) => Promise<void>;

/** What a consumer did with a fact: done with it, or have it delivered again after `delayMs`. */
export type Verdict = { readonly kind: 'done' } | { readonly kind: 'again'; readonly delayMs: number };

/** Handles one delivery; `attempt` counts deliveries from 1. A rejection means another delivery. */
export type Receive = (event: Envelope, attempt: number) => Promise<Verdict>;

interface BusOptions {
  readonly nats: NatsConnection;
  readonly logger: Logger;
  /** First token of every subject; tests take one of their own, for streams may not share subjects. */
  readonly root?: string;
}

export interface ConsumeOptions {
  /** How many facts are handled at once. */
  readonly concurrency?: number;
  /** How long after the last sign of life the broker delivers a fact again, in milliseconds. */
  readonly ackWaitMs?: number;
}

/** Repeats of a message id within this time are dropped by the broker. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;
/** How long facts stay readable; shorter than the inbox remembers them. */
export const RETENTION_MS = 7 * 24 * 3_600_000;
/** What a consumer's copies may hold together, unless each of them holds more. */
const MIN_ACK_PENDING = 256;
/** Facts that have arrived and are not in hand yet. Nobody tells the broker of them, so they must not wait for long. */
const MAX_BUFFERED = 512;
const MAX_BYTES = 8 * 1_024 ** 3;
const PUBLISH_TIMEOUT_MS = 5_000;

/** Opens the event bus: one stream that keeps every fact, and durable consumers that read it. */
export async function openBus({ nats, logger, root = 'billing' }: BusOptions) {
  const js = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS });
  const jsm = await jetstreamManager(nats, { timeout: 10_000 });
  const stream = root.toUpperCase();
  await ensureStream(jsm, stream, root);
  const room = await watchRoom(async () => {
    const { state, config } = await jsm.streams.info(stream);
    return { bytes: state.bytes, maxBytes: config.max_bytes };
  }, logger);

  const publish: Publish = async (type, body, id, trace) => {
    const carried = headers();
    for (const [key, value] of Object.entries(trace)) carried.set(key, value);
    const done = room.take(Buffer.byteLength(body));
    try {
      await js.publish(`${root}.${type}`, body, { msgID: id, headers: carried });
    } finally {
      done();
    }
  };

  /** Reads the facts that match `filter`, from the first one on; the function it returns stops after those in hand. */
  async function consume(durable: string, filter: string, receive: Receive, options: ConsumeOptions = {}) {
    const { concurrency = 8, ackWaitMs = 10_000 } = options;
    const settings = { ack_wait: nanos(ackWaitMs), max_ack_pending: Math.max(MIN_ACK_PENDING, concurrency * 2) };
    const name = durable.replaceAll(/[.*>]/g, '_');
    await jsm.consumers
      .add(stream, {
        durable_name: name,
        filter_subject: `${root}.${filter}`,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        max_deliver: -1,
        ...settings,
      })
      .catch(async (err: unknown) => {
        if (!(err instanceof JetStreamApiError)) throw err;
        await jsm.consumers.update(stream, name, settings);
      });
    const messages = await (
      await js.consumers.get(stream, name)
    ).consume({
      max_messages: Math.min(concurrency * 2, MAX_BUFFERED),
    });
    const inHand = new Set<JsMsg>();
    const stillWorking = setInterval(() => inHand.forEach(message => message.working()), ackWaitMs / 3);
    const reading = read(messages, concurrency, async message => {
      inHand.add(message);
      await settle(message, receive);
      inHand.delete(message);
    });
    return async () => {
      await messages.close();
      await reading;
      clearInterval(stillWorking);
    };
  }

  /** Tells the broker how a message ended; never rejects. */
  async function settle(message: JsMsg, receive: Receive): Promise<void> {
    const event = readEnvelope(message);
    if (!event) {
      logger.error({ subject: message.subject }, 'dropped a malformed message');
      message.term('malformed');
      return;
    }
    const attempt = message.info.deliveryCount;
    try {
      const verdict = await withinTrace(traceOf(message), () => receive(event, attempt));
      if (verdict.kind === 'done') message.ack();
      else message.nak(verdict.delayMs);
    } catch (err) {
      logger.warn({ err, eventId: event.id, type: event.type, attempt }, 'fact not settled, will be delivered again');
      message.nak(Math.min(500 * 2 ** attempt, 60_000));
    }
  }

  /** Forgets every fact; for tests. */
  async function remove(): Promise<void> {
    await jsm.streams.delete(stream);
  }

  /** Rejects when the broker does not answer. */
  const ping = (): Promise<unknown> => nats.flush();

  return { publish, consume, remove, ping, root, nats };
}

export type Bus = Awaited<ReturnType<typeof openBus>>;

async function ensureStream(jsm: JetStreamManager, name: string, root: string): Promise<void> {
  const settings = {
    subjects: [`${root}.>`],
    max_age: nanos(RETENTION_MS),
    max_bytes: MAX_BYTES,
    discard: DiscardPolicy.New,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  };
  try {
    const { config } = await jsm.streams.info(name);
    if (config.discard === DiscardPolicy.New) return;
  } catch (err) {
    if (!(err instanceof JetStreamApiError)) throw err;
    await jsm.streams.add({ name, storage: StorageType.File, ...settings });
    return;
  }
  throw new Error(`The stream ${name} discards old messages when it is full: set its discard policy to "new".`);
}

async function read(messages: ConsumerMessages, concurrency: number, settle: (message: JsMsg) => Promise<void>) {
  const inHand = new Set<Promise<void>>();
  for await (const message of messages) {
    const settling = settle(message).finally(() => inHand.delete(settling));
    inHand.add(settling);
    if (inHand.size >= concurrency) await Promise.race(inHand);
  }
  await Promise.all(inHand);
}

function readEnvelope(message: JsMsg): Envelope | undefined {
  try {
    return envelope.parse(message.json());
  } catch {
    return undefined;
  }
}

function traceOf(message: JsMsg): TraceCarrier {
  const carried: Record<string, string> = {};
  for (const key of ['traceparent', 'tracestate']) {
    const value = message.headers?.get(key);
    if (value) carried[key] = value;
  }
  return carried;
}
