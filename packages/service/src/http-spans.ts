import { context, ROOT_CONTEXT, SpanKind, type Context } from '@opentelemetry/api';
import { pathWithoutIds } from '@billing/contracts/path-without-ids';
import { startSpan } from '@billing/tracing/span';
import { traceIn, type TraceCarrier } from '@billing/tracing/trace-carrier';
import { templatedPath } from './templated-path.ts';

/** A request, as it was received or is sent. */
interface TracedRequest {
  readonly method: string;
  /** Its path and query; tokens and addresses in it do not get into spans. */
  readonly url: string;
}

/** A request that is served. */
export interface ServerSpan {
  /** In which handlers run. */
  readonly context: Context;
  /** Ends the span when the response was sent, or the caller went away: then `status` is undefined. */
  end(response: { readonly route: string | undefined; readonly status: number | undefined }): void;
}

/**
 * Starts the span of a request that arrived, in the trace of whoever sent it; without `parent` it begins a trace.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function startServerSpan({ method, url }: TracedRequest, parent: Context = ROOT_CONTEXT): ServerSpan {
  const attributes = () => ({ 'http.request.method': method, 'url.scheme': 'http', 'url.path': templatedPath(url) });
  const span = startSpan(method, { kind: SpanKind.SERVER, attributes, parent });
  return {
    context: span.context,
    end: ({ route, status }) =>
      span.end(() => ({
        ...(route !== undefined && { name: `${method} ${route}` }),
        attributes: {
          ...(route !== undefined && { 'http.route': route }),
          ...(status !== undefined && { 'http.response.status_code': status }),
        },
        ...(status !== undefined && status >= 500 && { errorType: String(status) }),
      })),
  };
}

/** A request that is sent to a service. */
export interface ClientSpan {
  /** Headers with the trace, for whoever receives the request. */
  readonly headers: TraceCarrier;
  /** Ends the span when a response came, or none: then `status` is null. */
  end(status: number | null): void;
}

/** Starts the span of a request to another service, in the current trace. */
export function startClientSpan({ method, url }: TracedRequest): ClientSpan {
  const attributes = () => ({ 'http.request.method': method, 'url.path': templatedPath(url) });
  const span = startSpan(method, { kind: SpanKind.CLIENT, attributes, parent: context.active() });
  return {
    headers: traceIn(span.context),
    end: status =>
      span.end(() => ({
        name: `${method} ${pathWithoutIds(templatedPath(url))}`,
        ...(status !== null && { attributes: { 'http.response.status_code': status } }),
        ...((status === null || status >= 400) && { errorType: String(status ?? 'unreachable') }),
      })),
  };
}
