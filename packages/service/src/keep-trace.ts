import { context, type Context } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** In which it arrived. */
    traceContext: Context;
  }
}

/** Has handlers run in the trace in which their request arrived: Fastify goes on from a listener once it has read the body. */
export function keepTrace(app: Pick<FastifyInstance, 'decorateRequest' | 'addHook'>): void {
  app.decorateRequest('traceContext');
  app.addHook('onRequest', (request, _reply, done) => {
    request.traceContext = context.active();
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => context.with(request.traceContext, done));
}
