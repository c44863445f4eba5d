import { context, propagation } from '@opentelemetry/api';

/** W3C trace context as text, to travel in a row or a message; empty while telemetry is off. */
export type TraceCarrier = Readonly<Record<string, string>>;

/** The current trace context. */
export function currentTrace(): TraceCarrier {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Runs `work` as a part of the trace in `carrier`. */
export function withinTrace<Result>(carrier: TraceCarrier, work: () => Promise<Result>): Promise<Result> {
  return context.with(propagation.extract(context.active(), carrier), work);
}
