import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

/** A span as it was exported. */
export interface Span {
  /** `gateway` for `billing-gateway`. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: Readonly<Record<string, string>>;
  /** Ids of the spans that it is linked to. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Everything that was exported of it. */
  readonly text: string;
}

/** A metric as it was exported. */
interface Metric {
  readonly name: string;
  readonly text: string;
}

/** Collects what systems export. */
export interface OtlpCollector extends AsyncDisposable {
  readonly url: string;
  spans(): readonly Span[];
  metrics(): readonly Metric[];
}

/** Variables with which a system exports to the collector, and soon. */
export const exportTo = ({ url }: OtlpCollector): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '200',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
  OTEL_METRIC_EXPORT_TIMEOUT: '1000',
});

/** Starts a collector of traces and metrics over HTTP and JSON. https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: Span[] = [];
  const metrics: Metric[] = [];
  const collect = async (request: IncomingMessage) => {
    const body = await json(request);
    if (request.url === '/v1/traces') spans.push(...spansIn(body as TraceExport)); // OTLP's JSON
    if (request.url === '/v1/metrics') metrics.push(...metricsIn(body as MetricsExport));
  };
  const server = createServer((request, response) => {
    void collect(request).finally(() => response.end('{}'));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => spans,
    metrics: () => metrics,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface MetricsExport {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

function spansIn({ resourceSpans }: TraceExport): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = (valuesOf(resource.attributes)['service.name'] ?? '').replace('billing-', '');
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(span => ({
        service,
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        kind: KINDS[span.kind] ?? 'internal',
        attributes: valuesOf(span.attributes),
        links: span.links,
        text: JSON.stringify(span),
      }));
  });
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

function metricsIn({ resourceMetrics }: MetricsExport): Metric[] {
  const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
  return scopes.flatMap(({ metrics }) => metrics.map(metric => ({ name: metric.name, text: JSON.stringify(metric) })));
}
