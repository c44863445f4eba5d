import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';

/**
 * The current trace as text, to travel in a row, a message or a request between services; empty while telemetry is off. It
 * has W3C's `traceparent` alone: no `baggage` and no `tracestate`, in which a stranger's words could travel with it.
 */
export type TraceCarrier = Readonly<Record<string, string>>;

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What travels from work that is not traced: whoever it reaches begins no trace either. */
const UNTRACED = { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00` } as const satisfies TraceCarrier;

/** A context in which nothing is traced. */
export const untraced: Context = suppressTracing(ROOT_CONTEXT);

/** The current trace. */
export const currentTrace = (): TraceCarrier => traceIn(context.active());

/** Runs `work` as a part of the trace in `carrier`. */
export const withinTrace = <Result>(carrier: TraceCarrier, work: () => Promise<Result>): Promise<Result> =>
  context.with(withTrace(context.active(), carrier['traceparent']), work);

/** Returns a context with nothing but the trace in `carrier`. */
export const contextOf = (carrier: TraceCarrier): Context => withTrace(ROOT_CONTEXT, carrier['traceparent']);

/** Returns the trace of a context. */
export function traceIn(active: Context): TraceCarrier {
  const span = trace.getSpanContext(active);
  if (!span || !isSpanContextValid(span)) return isTracingSuppressed(active) ? UNTRACED : {};
  return { traceparent: `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}` };
}

/** Whether a trace is recorded. */
export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** Returns `active` within the trace of a `traceparent`, unchanged for none or a malformed one; `untraced` for work that is not traced. */
export function withTrace(active: Context, traceparent: string | undefined): Context {
  if (traceparent === undefined) return active;
  if (traceparent === UNTRACED.traceparent) return untraced;
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(span) ? trace.setSpanContext(active, span) : active;
}
