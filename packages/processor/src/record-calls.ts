import { metrics, SpanKind } from '@opentelemetry/api';
import { addSpan } from '@billing/tracing/span';
import type { Logger } from 'pino';
import type { OnCall } from './stripe-client.ts';

/** Calls that take longer are named in the log, in milliseconds. */
const SLOW_MS = 3_000;

/** Returns what records the duration and outcome of each call to the processor, in the current trace too, and logs slow ones. */
export function recordCalls(logger: Logger): OnCall {
  const durations = metrics.getMeter('billing.processor').createHistogram('billing.processor.call.duration', {
    description: 'Time until the processor responds, by route and outcome.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  return ({ method, route, status, ms }) => {
    const outcome = outcomeOf(status);
    durations.record(ms / 1_000, { 'http.request.method': method, 'http.route': route, outcome });
    addSpan(performance.now() - ms, () => ({
      name: `${method} ${route}`,
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        'url.template': route,
        ...(status !== null && { 'http.response.status_code': status }),
      },
      errorType: outcome === 'ok' ? undefined : String(status ?? outcome),
    }));
    if (ms >= SLOW_MS) logger.warn({ method, route, status, ms: Math.round(ms) }, 'slow call to the processor');
  };
}

/** What a status means for the caller; null is no response. */
function outcomeOf(status: number | null) {
  if (status === null) return 'unreachable';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}
