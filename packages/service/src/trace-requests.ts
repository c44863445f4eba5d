import { context } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { contextOf } from '@billing/tracing/trace-carrier';
import { startServerSpan, type ServerSpan } from './http-spans.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for health checks. */
    span: ServerSpan | null;
  }
}

/** Serves each request within a span of the trace that it carries. */
export function traceRequests(app: Pick<FastifyInstance, 'decorateRequest' | 'addHook'>): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, reply, done) => {
    const { url, method, headers, routeOptions } = request;
    if (url.startsWith('/health/')) return done();
    const { traceparent } = headers;
    const span = startServerSpan({ method, url }, contextOf(typeof traceparent === 'string' ? { traceparent } : {}));
    request.span = span;
    reply.raw.once('close', () => {
      const status = reply.raw.writableFinished ? reply.statusCode : undefined;
      span.end({ route: routeOptions.url, status });
    });
    context.with(span.context, done);
  });
  // Fastify goes on from a listener once it has read the body, and once the response was sent.
  for (const hook of ['preValidation', 'onResponse'] as const)
    app.addHook(hook, ({ span }: { span: ServerSpan | null }, _reply: unknown, done: () => void) =>
      span ? context.with(span.context, done) : done(),
    );
}
