import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { addStatementSpan } from '@billing/database/statement-span';
import { contextOf } from '@billing/tracing/trace-carrier';
import { startClientSpan, startServerSpan } from '../src/http-spans.ts';

const exporter = new InMemorySpanExporter();
const sdk = new NodeSDK({
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  autoDetectResources: false,
  textMapPropagator: null,
});
sdk.start();
afterAll(async () => {
  await sdk.shutdown();
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

const token = 'x'.repeat(43);
const spans = () => exporter.getFinishedSpans();

it('names a request by its route, and shows neither a token nor the query of its path', () => {
  startServerSpan({ method: 'GET', url: `/portal/${token}?email=a@example.com` }).end({
    route: undefined,
    status: 200,
  });
  startServerSpan({ method: 'GET', url: '/teams/team_1?cursor=2' }).end({ route: '/teams/:teamId', status: 503 });
  expect(spans()).toMatchObject([
    { name: 'GET', attributes: { 'url.path': '/portal/:token', 'http.response.status_code': 200 } },
    { name: 'GET /teams/:teamId', attributes: { 'url.path': '/teams/team_1', 'http.response.status_code': 503 } },
  ]);
  expect(spans().map(({ status }) => status.code)).toEqual([SpanStatusCode.UNSET, SpanStatusCode.ERROR]);
  expect(JSON.stringify(spans().map(({ name, attributes }) => ({ name, attributes })))).not.toMatch(/x{40}|@|cursor/);
});

it('goes on with the trace of whoever sent a request, and sends it along', () => {
  const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)];
  const server = startServerSpan(
    { method: 'POST', url: '/' },
    contextOf({ traceparent: `00-${traceId}-${spanId}-01` }),
  );
  const client = context.with(server.context, () => startClientSpan({ method: 'POST', url: '/teams/team_2kX9mQ7c1B' }));
  client.end(null);
  client.end(200);
  server.end({ route: '/', status: undefined });
  const [sent, received] = spans();
  expect(spans()).toHaveLength(2);
  expect(received).toMatchObject({ parentSpanContext: { traceId, spanId }, kind: SpanKind.SERVER });
  expect(sent).toMatchObject({
    name: 'POST /teams/:id',
    parentSpanContext: { spanId: received?.spanContext().spanId },
    attributes: { 'error.type': 'unreachable' },
  });
  expect(client.headers).toEqual({ traceparent: `00-${traceId}-${sent?.spanContext().spanId}-01` });
});

it('shows a statement by its verb, its table and how it failed, where a trace is recorded', () => {
  const sql = `update customers set email = 'a@example.com'`;
  const error = Object.assign(new Error('a@example.com is taken'), { code: '23505' });
  const query = { sql, startedAt: performance.now() - 100, ms: 100, error };
  addStatementSpan(query);
  expect(spans()).toEqual([]);
  const server = startServerSpan({ method: 'POST', url: '/' });
  context.with(server.context, () => addStatementSpan(query));
  const [span] = spans();
  expect(span).toMatchObject({ name: 'update customers', parentSpanContext: trace.getSpanContext(server.context) });
  expect(span?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.query.summary': 'update customers',
    'error.type': '23505',
  });
  expect(span?.duration[0] === 0 && (span?.duration[1] ?? 0) >= 99_000_000).toBe(true);
});
