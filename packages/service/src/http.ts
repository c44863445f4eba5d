import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { invalid, Problem, PROBLEM_HEADER } from '@billing/contracts/problem';
import { registerHealth, type HealthChecks } from './health.ts';
import { IDENTITY_HEADER, type Caller, type Principal, type VerifyIdentityToken } from './identity-token.ts';
import { isJsonType } from './json-type.ts';
import { overloaded, teamOverloaded, type IsOverloaded, type IsTeamOverloaded } from './overloaded.ts';
import { isRead, takePlaces, type PlaceKind, type RequestPlaces } from './request-places.ts';
import { openRequestMetrics } from './request-metrics.ts';
import { pathOf, templatedPath } from './templated-path.ts';
import { fieldErrors, toProblem } from './to-problem.ts';
import { traceRequests } from './trace-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Stores responses to requests with an `Idempotency-Key`; null in a service without such requests. */
    idempotency: EntityManager | null;
  }
  interface FastifyRequest {
    principal: Principal;
    /** Set for writes. */
    caller: Caller | null;
    /** Takes a place of a team that only the handler knows, until the handler ends; one place a request. */
    takePlace: (teamId: TeamId) => Promise<void>;
    leavePlace: (() => void) | null;
  }
  interface FastifyContextConfig {
    /** The route carries many writes and rejects each of them itself while the service is overloaded. */
    refusesEach?: boolean;
    /** Which place a request takes, by its parsed query, unless that follows from its method; null for none. */
    placeOf?: ((query: unknown) => PlaceKind | null) | undefined;
  }
}

/** Maximum size of a request body, in bytes. */
export const BODY_LIMIT = 1_048_576;
/** Time limit for receiving a request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;
/**
 * Maximum size of a request's headers, in bytes. The gateway takes 16 KiB and adds an identity token, which must not make
 * a request too large for a service.
 */
const HEADERS_LIMIT = 32_768;
/** A connection is then made anew, so that a copy of the service that started later gets its share of the requests. */
const MAX_REQUESTS_PER_CONNECTION = 1_000;

export interface HttpServerOptions extends Partial<HealthChecks> {
  readonly logger: FastifyBaseLogger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  /** The schema that stores responses to requests with an `Idempotency-Key`. */
  readonly idempotency?: EntityManager;
  /** While it returns true, only GET and HEAD are served; other methods get 503. */
  readonly isOverloaded?: IsOverloaded | undefined;
  /** While it returns true for the caller's team, its writes get 429. */
  readonly isTeamOverloaded?: IsTeamOverloaded | undefined;
  /** What the requests of teams share; not limited unless given. */
  readonly places?: RequestPlaces;
  /** The tables on the connections of reads. */
  readonly readEm?: EntityManager;
}

/**
 * Creates a Fastify instance with what every service shares: zod schemas in and out, problem responses, request ids,
 * health checks, and 401 for requests without a valid identity token.
 */
export function createHttpServer(options: HttpServerOptions) {
  const { logger, verifyIdentityToken, idempotency, places, readEm, ...health } = options;
  const { checks = {}, isClosing = () => false, isOverloaded = () => false, isTeamOverloaded = () => false } = options;
  const record = openRequestMetrics();
  const app = Fastify({
    loggerInstance: logger,
    bodyLimit: BODY_LIMIT,
    http: { maxHeaderSize: HEADERS_LIMIT },
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxRequestsPerSocket: MAX_REQUESTS_PER_CONNECTION,
    // A request that came over an open connection before it was closed is served like any other.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    // A malformed path. The framework's own response would echo it.
    frameworkErrors: (_error, request, reply) =>
      sendProblem(invalid([{ path: '', message: 'The path is not well formed.' }]), request, reply),
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(({ schema }) => value => {
    const result = (schema as z.ZodType).safeParse(value); // every schema of an operation is a zod schema
    return result.success ? { value: result.data } : { error: invalid(fieldErrors(result.error)) };
  });
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler<FastifyError | Problem>(sendProblem);
  app.setNotFoundHandler((request, reply) =>
    sendProblem(new Problem('not_found', 'route_not_found', 'No such route.'), request, reply),
  );

  readOnlyJson(app);
  traceRequests(app);
  registerHealth(app, { ...health, checks });
  takePlaces(app, { places, readEm, teamOf: ({ principal }) => tenantOf(principal).teamId });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing()) reply.header('connection', 'close');
  });
  app.decorate('idempotency', idempotency ?? null);
  app.decorateRequest('principal');
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async request => {
    if (request.url.startsWith('/health/')) return;
    const header = request.headers[IDENTITY_HEADER];
    const signed = { method: request.method, path: pathOf(request.url) };
    const identity = verifyIdentityToken(typeof header === 'string' ? header : undefined, signed);
    request.principal = identity.principal;
    request.caller = identity.caller;
    const { teamId, projectId } = tenantOf(identity.principal);
    if (teamId) request.log = request.log.child({ teamId, ...(projectId && { projectId }) });
  });
  app.addHook('onRequest', async ({ method, routeOptions, principal }) => {
    if (isRead(method) || routeOptions.config.refusesEach) return;
    if (isOverloaded()) throw overloaded();
    // Requests of health checks have no principal, and are reads.
    const { teamId } = tenantOf(principal);
    if (teamId && isTeamOverloaded(teamId)) throw teamOverloaded();
  });
  app.addHook('onResponse', async (request, reply) => {
    if (request.url.startsWith('/health/')) return;
    const { method, url } = request;
    record({ method, route: request.routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime });
    const summary = { method, path: templatedPath(url), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    request.log.info(summary, 'request completed');
  });
  return app;
}

/** Reads bodies of JSON in UTF-8, and no others: Fastify itself would replace what is not UTF-8. */
function readOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isJsonType(request.headers['content-type'])) return done(unsupported());
    if (!isUtf8(body)) return done(invalid([{ path: '', message: 'The body is not UTF-8.' }]));
    return parseJson(request, body.toString(), done);
  });
}

const unsupported = () =>
  new Problem('unsupported_media_type', 'unsupported_media_type', 'Send the body as application/json, in UTF-8.');

/** The team and project of a caller; neither for one that has only a portal link or a signature. */
const tenantOf = (principal: Principal): { readonly teamId?: TeamId | null; readonly projectId?: string | null } =>
  principal.kind === 'anonymous' ? {} : principal;

export type HttpServer = ReturnType<typeof createHttpServer>;

function sendProblem(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): void {
  const problem = toProblem(error);
  if (problem.status >= 500) request.log[problem.status === 500 ? 'error' : 'warn']({ err: error }, 'request failed');
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
  if (problem.kind === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  void reply
    .code(problem.status)
    .type('application/json')
    .header(PROBLEM_HEADER, problem.code)
    .send(JSON.stringify(problem.toBody(request.id)));
}
