import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { waitFor } from '@billing/testing/wait-for';
import { expect, inject, it } from 'vitest';
import { startSystem } from '../system/start-system.ts';

interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly text: string;
}

it('runs beside another system, plays the demo, and exports a trace without secrets', async () => {
  await using collector = await startCollector();
  const system = await startSystem(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_METRIC_EXPORT_TIMEOUT: '1000',
    },
    { demo: true },
  );
  const secrets: string[] = [];
  try {
    expect((await fetch(`${inject('gatewayUrl')}/health/ready`)).status).toBe(200);
    expect(system.output()).toContain('MRR            $29.99');
    const demo = JSON.parse(await readFile(join(system.dataDir, 'demo.json'), 'utf8'));
    const [, portalToken = ''] = /\/portal\/([\w-]{43})/.exec(system.output()) ?? [];
    const { credentialsKey, authSecret } = JSON.parse(await readFile(join(system.dataDir, 'secrets.json'), 'utf8'));
    secrets.push(demo.apiKey, demo.processorKey, demo.user.password, portalToken, credentialsKey, authSecret);
    expect(secrets.filter(secret => typeof secret !== 'string' || secret.length < 16)).toEqual([]);

    // From the webhook to the last consumer.
    const services = ['gateway', 'webhooks', 'subscriptions', 'referrals', 'analytics'].map(name => `billing-${name}`);
    await waitFor(() => collector.traces().some(trace => services.every(service => trace.has(service))), {
      what: 'a trace over all services of the main job',
      timeoutMs: 30_000,
    });
    const age = await waitFor(() => collector.metrics().find(({ name }) => name === 'billing.webhook.signature.age'), {
      what: 'the metric of signature ages',
      timeoutMs: 30_000,
    });
    expect(age.text).toContain('"direction"');
    const logs = await Promise.all(
      (await readdir(join(system.dataDir, 'logs'))).map(file => readFile(join(system.dataDir, 'logs', file), 'utf8')),
    );
    const exported = [...logs, ...[...collector.spans(), ...collector.metrics()].map(({ text }) => text)];
    expect(secrets.filter(secret => exported.some(text => text.includes(secret)))).toEqual([]);
  } finally {
    await system.stop();
  }
});

/** Starts an OTLP collector for traces and metrics over HTTP and JSON. */
async function startCollector() {
  const spans: Span[] = [];
  const metrics: Metric[] = [];
  const server = createServer((request, response) => {
    void collect(request).finally(() => response.end('{}'));
  });
  const collect = async (request: IncomingMessage) => {
    const body = await json(request).catch(() => undefined); // other signals use another encoding
    if (body === undefined) return;
    if (request.url === '/v1/traces') spans.push(...spansIn(body));
    if (request.url === '/v1/metrics') metrics.push(...metricsIn(body));
  };
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    spans: () => spans,
    metrics: () => metrics,
    /** Returns the set of services in each trace. */
    traces: () =>
      [...Map.groupBy(spans, span => span.traceId).values()].map(trace => new Set(trace.map(span => span.service))),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

interface Metric {
  readonly name: string;
  readonly text: string;
}

interface MetricsExport {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

function metricsIn(body: unknown): Metric[] {
  const scopes = (body as MetricsExport).resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics); // the OTLP JSON format
  return scopes.flatMap(({ metrics }) => metrics.map(metric => ({ name: metric.name, text: JSON.stringify(metric) })));
}

interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly traceId: string }[] }[];
  }[];
}

function spansIn(body: unknown): Span[] {
  return (body as TraceExport).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    const all = scopeSpans.flatMap(({ spans }) => spans);
    return all.map(span => ({ service, traceId: span.traceId, text: JSON.stringify(span) }));
  });
}
