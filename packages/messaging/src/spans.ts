import { context, ROOT_CONTEXT, SpanKind, trace, type Attributes, type Link } from '@opentelemetry/api';
import { inSpan, type SpanSettings } from '@billing/tracing/span';
import { contextOf, currentTrace, isSampled, untraced, type TraceCarrier } from '@billing/tracing/trace-carrier';

/** A message as its spans show it. Names and keys: https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
interface TracedMessage {
  readonly id: string;
  /** The subject without the root, which is the same in every system: the type of the event. */
  readonly type: string;
}

/** The trace that a message carries, and the consumer that has received it. */
export interface ProcessedFrom {
  readonly carrier: TraceCarrier;
  readonly consumer: string;
}

const NATS = { 'messaging.system': 'nats' };

/** Sends a message within a span of the trace in `carrier`. `send` gets the trace that the message carries. */
export function withSendSpan(
  { id, type, bytes }: TracedMessage & { readonly bytes: number },
  carrier: TraceCarrier,
  send: (carried: TraceCarrier) => Promise<void>,
): Promise<void> {
  const attributes = () => ({
    ...operationOn(type, 'publish', 'send'),
    'messaging.message.id': id,
    'messaging.message.body.size': bytes,
  });
  return inSpan(`publish ${type}`, { kind: SpanKind.PRODUCER, attributes, parent: contextOf(carrier) }, send);
}

/** Handles one delivery of a message within a span of the trace that the message carries. `handle` gets its trace. */
export function withProcessSpan<Result>(
  { id, type, teamId, attempt }: TracedMessage & { readonly teamId: string; readonly attempt: number },
  { carrier, consumer }: ProcessedFrom,
  handle: (carried: TraceCarrier) => Promise<Result>,
): Promise<Result> {
  const attributes = () => ({
    ...operationOn(type, 'process', 'process'),
    'messaging.message.id': id,
    'messaging.consumer.group.name': consumer,
    'billing.team.id': teamId,
    'billing.delivery.attempt': attempt,
  });
  return inSpan(`process ${type}`, { kind: SpanKind.CONSUMER, attributes, parent: contextOf(carrier) }, handle);
}

/**
 * Handles what arrived together within one span. One item's batch is a part of that item's trace; the batch of many is a
 * trace of its own, linked to each of them that is sampled.
 */
export function withBatchSpan<Result>(
  consumer: string,
  carriers: readonly TraceCarrier[],
  handle: () => Promise<Result>,
): Promise<Result> {
  const { parent, links } = placeOfBatch(carriers);
  const attributes = () => ({
    ...NATS,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': consumer,
    'messaging.batch.message_count': carriers.length,
  });
  return inSpan(`process batch of ${consumer}`, { kind: SpanKind.CONSUMER, attributes, parent, links }, handle);
}

/** Takes over what a webhook brought into the trace that led to it. `take` gets the trace of that span. */
export function withLinkedSpan<Result>(
  name: string,
  { carrier, attributes }: { readonly carrier: TraceCarrier; readonly attributes: Attributes },
  take: (carried: TraceCarrier) => Promise<Result>,
): Promise<Result> {
  const links = linksToSampled([currentTrace()]);
  return inSpan(
    name,
    { kind: SpanKind.CONSUMER, attributes: () => attributes, parent: contextOf(carrier), links },
    take,
  );
}

/** Calls another service within a span of the current trace. */
export const withCallSpan = <Result>(name: string, call: (carried: TraceCarrier) => Promise<Result>): Promise<Result> =>
  inSpan(name, { kind: SpanKind.CLIENT, attributes: rpcAttributes(name), parent: context.active() }, call);

/** Serves the call of another service within a span of its trace. */
export const withServeSpan = <Result>(
  name: string,
  carrier: TraceCarrier,
  serve: () => Promise<Result>,
): Promise<Result> =>
  inSpan(name, { kind: SpanKind.SERVER, attributes: rpcAttributes(name), parent: contextOf(carrier) }, serve);

const rpcAttributes = (name: string) => () => ({ 'rpc.system.name': 'nats', 'rpc.method': name });

const operationOn = (type: string, name: string, kind: 'send' | 'process') => ({
  ...NATS,
  'messaging.destination.name': type,
  'messaging.operation.name': name,
  'messaging.operation.type': kind,
});

/** A batch of many is not traced when they are not, and begins a trace when it is not known whether they are. */
function placeOfBatch(carriers: readonly TraceCarrier[]): Required<Pick<SpanSettings, 'parent' | 'links'>> {
  const [first] = carriers;
  if (first && carriers.length === 1) return { parent: contextOf(first), links: [] };
  const links = linksToSampled(carriers);
  const isUntraced = links.length === 0 && carriers.some(carrier => contextOf(carrier) === untraced);
  return { parent: isUntraced ? untraced : ROOT_CONTEXT, links };
}

function linksToSampled(carriers: readonly TraceCarrier[]): Link[] {
  return carriers
    .flatMap(carrier => trace.getSpanContext(contextOf(carrier)) ?? [])
    .filter(isSampled)
    .map(linked => ({ context: linked }));
}
