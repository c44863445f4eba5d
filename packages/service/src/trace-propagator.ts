import type { TextMapPropagator } from '@opentelemetry/api';
import { traceIn, withTrace } from '@billing/messaging/trace-carrier';

/**
 * Returns how the trace travels between processes: as `traceparent` alone. A public process begins a new trace for each
 * request, so that its callers neither force or stop sampling, nor write into the traces of others.
 */
export const tracePropagator = ({ isPublic }: { readonly isPublic: boolean }): TextMapPropagator => ({
  inject(active, carrier, setter) {
    for (const [name, value] of Object.entries(traceIn(active))) setter.set(carrier, name, value);
  },
  extract(active, carrier, getter) {
    const received = isPublic ? undefined : getter.get(carrier, 'traceparent');
    return withTrace(active, typeof received === 'string' ? received : undefined);
  },
  fields: () => ['traceparent'],
});
