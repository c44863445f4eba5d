import Fastify, { LogController, type FastifyBaseLogger, type FastifyError, type FastifyInstance } from 'fastify';
import qs from 'qs';
import { ApiError, unknownUrl } from './api/errors.ts';
import { isKnownHost } from './domain/hosts.ts';
import { errorResponse, send, serve } from './api/pipeline.ts';
import { controlRoutes } from './control/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import type { Processor } from './processor.ts';
import { endpoints } from './resources/endpoints.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The form as it was received: an idempotency key belongs to these bytes. */
    rawBody: string;
  }
}

const BODY_LIMIT = 1024 * 1024;

/**
 * Returns the HTTP server with the API, the hosted pages, the control API and the health checks, for clients that call it by a
 * name of loopback or one of `hosts`. It does not listen.
 */
export function createApp(processor: Processor, logger: FastifyBaseLogger, hosts: readonly string[]): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: 'idle',
    routerOptions: { querystringParser: decodeForm, maxParamLength: 256 },
  });
  app.addHook('onRequest', async ({ headers: { host } }) => {
    if (!isKnownHost(host, hosts)) throw unknownHost();
  });
  app.removeAllContentTypeParsers();
  app.decorateRequest('rawBody', '');
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    request.rawBody = String(body);
    done(null, decodeForm(request.rawBody));
  });
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async () => ({ status: 'ok' }));
  for (const endpoint of endpoints) serve(app, processor, endpoint);
  void app.register(pageRoutes(processor));
  void app.register(controlRoutes(processor), { prefix: '/_control' });
  app.setErrorHandler((error: FastifyError, request, reply) => send(reply, errorResponse(asApiError(error), request)));
  app.setNotFoundHandler((request, reply) =>
    send(reply, errorResponse(unknownUrl(request.method, request.url.split('?')[0] ?? request.url), request)),
  );
  return app;
}

const unknownHost = (): ApiError =>
  new ApiError(
    421,
    {
      type: 'invalid_request_error',
      message: 'The local processor has another name; add this one to HOSTS to call it so.',
    },
    false,
  );

/** Converts Fastify's own 4xx errors (a body that is too long, or no form) to Stripe's shape. */
function asApiError(error: FastifyError): unknown {
  const { statusCode } = error;
  if (statusCode === undefined || statusCode >= 500) return error;
  const message =
    statusCode === 415
      ? 'Invalid request (check that your POST content type is application/x-www-form-urlencoded).'
      : error.message;
  return new ApiError(statusCode === 415 ? 400 : statusCode, { type: 'invalid_request_error', message }, false);
}

function decodeForm(text: string): Record<string, unknown> {
  return qs.parse(text, { depth: 8, arrayLimit: 1000, parameterLimit: 2000, plainObjects: true });
}
