import type { IncomingMessage } from 'node:http';
import { trace } from '@opentelemetry/api';
import { contextOf, isSampled } from '@billing/messaging/trace-carrier';

/** How a process decides which traces to record. */
export interface RequestSampling {
  /** Whether the span of a request is to be recorded. Otherwise instrumented libraries do nothing for it. */
  readonly isTraced: (request: Pick<IncomingMessage, 'headers'>) => boolean;
  /** Whether a span without a parent may begin a trace. */
  readonly mayBegin: () => boolean;
}

/**
 * Decides at the door, where it costs nothing. In a public process a request begins a trace while `mayBegin` allows it; in
 * any other it is traced as whoever sent it says.
 */
export function openRequestSampling(mayBegin: () => boolean, { isPublic }: { isPublic: boolean }): RequestSampling {
  // The request's span is begun in the same turn of the event loop as `isTraced` was asked, and has no parent.
  let isGranted = false;
  return {
    isTraced({ headers }) {
      if (isPublic) return (isGranted = mayBegin());
      const { traceparent } = headers;
      const span = typeof traceparent === 'string' ? trace.getSpanContext(contextOf({ traceparent })) : undefined;
      return span !== undefined && isSampled(span);
    },
    mayBegin() {
      if (!isGranted) return mayBegin();
      isGranted = false;
      return true;
    },
  };
}
