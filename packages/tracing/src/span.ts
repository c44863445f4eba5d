import {
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type SpanKind,
  type Tracer,
} from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import { isSampled, traceIn, untraced, type TraceCarrier } from './trace-carrier.ts';

export interface SpanSettings {
  readonly kind: SpanKind;
  /** Called only when the span is recorded. */
  readonly attributes: () => Attributes;
  readonly parent: Context;
  readonly links?: readonly Link[];
  /** By the clock of `performance.now()`; now unless given. */
  readonly startedAt?: number;
}

/** What is known at the end of a span. */
export interface SpanEnd {
  /** Instead of the name that it began with. */
  readonly name?: string;
  readonly attributes?: Attributes;
  /** The kind of error with which the work failed: its message may have values of a customer. */
  readonly errorType?: string | undefined;
}

/** Work that is shown in a trace. */
export interface RunningSpan {
  /** In which the work runs. */
  readonly context: Context;
  /** Ends the span; `describe` is called only when it is recorded, and not ended yet. */
  end(describe?: () => SpanEnd): void;
}

/** Starts a span. Without telemetry, and in a trace that is not recorded, it does nothing, and the trace of others passes through. */
export function startSpan(name: string, settings: SpanSettings): RunningSpan {
  const { kind, attributes, parent, links = [], startedAt } = settings;
  // Most work of a flood is not traced.
  const tracer = isTracingSuppressed(parent) ? undefined : findTracer();
  if (!tracer) return unrecorded(parent);
  const options = { kind, links: [...links], ...(startedAt !== undefined && { startTime: startedAt }) };
  const span = tracer.startSpan(name, options, parent);
  if (!span.isRecording()) return unrecorded(isSpanContextValid(span.spanContext()) ? untraced : parent);
  span.setAttributes(attributes());
  return {
    context: trace.setSpan(parent, span),
    end(describe = () => ({})) {
      if (!span.isRecording()) return;
      const ended = describe();
      if (ended.name !== undefined) span.updateName(ended.name);
      if (ended.attributes) span.setAttributes(ended.attributes);
      if (ended.errorType !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', ended.errorType);
      }
      span.end(startedAt === undefined ? undefined : performance.now());
    },
  };
}

const doNothing = (): void => undefined;
const unrecorded = (parent: Context): RunningSpan => ({ context: parent, end: doNothing });

/** Runs `work` within a span. `work` gets the trace of that span. */
export async function inSpan<Result>(
  name: string,
  settings: SpanSettings,
  work: (carried: TraceCarrier) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, settings);
  try {
    const result = await context.with(span.context, work, undefined, traceIn(span.context));
    span.end();
    return result;
  } catch (err) {
    span.end(() => ({ errorType: err instanceof Error ? err.name : 'unknown' }));
    throw err;
  }
}

/** Work that has ended. */
export interface EndedWork extends SpanEnd {
  readonly name: string;
  readonly kind: SpanKind;
}

/**
 * Adds work that just ended to the current trace: work that began nothing else. `startedAt` is by the clock of
 * `performance.now()`; `describe` is called only when the trace is recorded.
 */
export function addSpan(startedAt: number, describe: () => EndedWork): void {
  const parent = context.active();
  const above = trace.getSpanContext(parent);
  if (!above || !isSampled(above)) return;
  const { name, kind, attributes = {}, errorType } = describe();
  startSpan(name, { kind, attributes: () => attributes, parent, startedAt }).end(() => ({ errorType }));
}

/** Returns the tracer of this process; undefined while it exports no traces. */
function findTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer('billing')
    : provider.getTracer('billing');
}
