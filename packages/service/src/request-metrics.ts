import { metrics, ValueType } from '@opentelemetry/api';

/** https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** A request that was served. */
interface ServedRequest {
  readonly method: string;
  /** As `/teams/:teamId`; undefined where no route matched. */
  readonly route: string | undefined;
  /** Undefined when the caller went away before the response. */
  readonly status: number | undefined;
  readonly ms: number;
}

/** Returns a function that measures how long requests take, by method, route and status. */
export function openRequestMetrics(): (request: ServedRequest) => void {
  const duration = metrics.getMeter('billing.service').createHistogram('http.server.request.duration', {
    description: 'How long requests took.',
    unit: 's',
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: SECONDS },
  });
  return ({ method, route, status, ms }) =>
    duration.record(ms / 1_000, {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      ...(status !== undefined && { 'http.response.status_code': status }),
    });
}
