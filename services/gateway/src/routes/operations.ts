import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request } from 'express';
import createRoutes, { type HTTPMethod } from 'find-my-way';
import type { Operation } from '@billing/contracts/operation';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { overloaded, teamOverloaded, type IsOverloaded, type IsTeamOverloaded } from '@billing/service/overloaded';
import { onReadConnections } from '@billing/database/read-connections';
import type { Principal } from '@billing/service/identity-token';
import { isRead, type RequestPlaces } from '@billing/service/request-places';
import { pathOf } from '@billing/service/templated-path';
import type { RecordRefusal } from '#operations/audit-log.ts';
import type { AuthorizeRequest } from '#auth/authorize-request.ts';
import { MAX_PATH_LENGTH } from '#domain/canonical-path.ts';
import type { GatewayResponse, Handler, Responder } from '#http/request-context.ts';
import type { AdmitToPortal } from '#limits/portal-admission.ts';
import type { ServiceProxy } from '#proxy/service-proxy.ts';
import type { WebhookForwarder } from '#proxy/webhook-forwarder.ts';
import type { RespondOnce } from './idempotent-response.ts';
import { refusalsOf, type Refusals } from './refusals.ts';
import { operationHandler, parse, type Call, type OwnOperations, type Run } from './operation-handler.ts';

interface Dependencies {
  readonly operations: readonly Operation[];
  readonly authorizeRequest: AuthorizeRequest;
  readonly admitToPortal: AdmitToPortal;
  readonly proxy: Pick<ServiceProxy, 'forward'>;
  readonly webhooks: Pick<WebhookForwarder, 'forward'>;
  readonly ownOperations: OwnOperations;
  readonly respondOnce: RespondOnce;
  readonly recordRefusal: RecordRefusal;
  /** While true, writes to the gateway's own tables get 503. */
  readonly isOverloaded: IsOverloaded;
  /** While true for a team, those in its paths get 429. */
  readonly isTeamOverloaded: IsTeamOverloaded;
  /** What teams share of the gateway's own tables. */
  readonly places: RequestPlaces;
  readonly readEm: EntityManager;
}

/**
 * Serves each declared operation, and nothing else: any other request goes on. A path is looked up once, in the tree of all
 * operations, and read as the services read it.
 * @throws Error for an operation with an unknown access, with the path of another one, or without an implementation
 */
export function operationRoutes(dependencies: Dependencies): Handler {
  const routes = createRoutes({ maxParamLength: MAX_PATH_LENGTH });
  const handlerOf = operationHandlers(dependencies);
  for (const operation of dependencies.operations) {
    const { method, path } = operation;
    const handle = handlerOf(operation);
    const methods: HTTPMethod[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    routes.on(methods, path, (request, response, params) =>
      // Express made them both.
      handle(Object.assign(request as Request, { params }), response as GatewayResponse),
    );
  }
  return async (request, response, next) => {
    const found = routes.find(request.method as HTTPMethod, pathOf(request.url)); // no route has any other method
    if (!found) return next();
    await found.handler(request, response, found.params, found.store, {});
  };
}

/** Returns a function that chooses how an operation is served by its access and its service. */
function operationHandlers(dependencies: Dependencies): (operation: Operation) => Responder {
  const { authorizeRequest, admitToPortal, proxy, webhooks, ownOperations, respondOnce } = dependencies;
  const { isOverloaded, isTeamOverloaded, places, readEm } = dependencies;

  return operation => {
    switch (operation.access.kind) {
      case 'project':
      case 'project-session':
      case 'team':
      case 'session':
      case 'portal-token':
        return authorized(operation);
      case 'signature':
        return webhookHandler(operation);
      default:
        throw new Error(`${operation.id} has no known access.`, { cause: operation.access satisfies never });
    }
  };

  function authorized(operation: Operation): Responder {
    const refusals = refusalsOf(operation, dependencies.recordRefusal);
    const handle =
      operation.service === 'gateway' ? ownHandler(operation, refusals) : proxyHandler(operation, refusals);
    return async (request, response) => {
      response.locals.route = operation.path;
      try {
        Object.assign(response.locals, await authorizeRequest(operation, request.params, request, response));
        await handle(request, response);
      } catch (err) {
        await refusals.onError(request, response, err);
        throw err;
      }
    };
  }

  function ownHandler(operation: Operation, refusals: Refusals): Responder {
    const run = ownOperation(operation, ownOperations);
    const handle = inPlace(operationHandler(operation, { run, respondOnce, onRefused: refusals.onStatus }));
    // Keys and members can be removed at any time, so DELETE is served under overload.
    if (operation.method === 'GET' || operation.method === 'DELETE') return handle;
    return async (request, response) => {
      if (isOverloaded()) throw overloaded();
      // Its operation's schema checks the path only later: what is no team has no events.
      if (isTeamOverloaded(String(request.params['teamId']))) throw teamOverloaded();
      await handle(request, response);
    };
  }

  function inPlace(handle: Responder): Responder {
    return async (request, response) => {
      const { principal } = response.locals;
      const holder = holderOf(principal);
      const reads = isRead(request.method);
      const leave = await places[reads ? 'reads' : 'calls'].take(holder);
      try {
        await (reads ? onReadConnections(readEm, () => handle(request, response)) : handle(request, response));
      } finally {
        leave();
      }
    };
  }

  function proxyHandler({ service, access, body, waits }: Operation, refusals: Refusals): Responder {
    if (service === 'gateway') throw new Error('The gateway does not forward requests to itself.');
    return (request, response) =>
      proxy.forward(request, response, {
        service,
        principal: response.locals.principal ?? { kind: 'anonymous' },
        body: body ? 'json' : 'discard',
        waits: waits === true,
        inspect: upstream => refusals.onUpstream(request, response, upstream),
        ...(access.kind === 'portal-token' && {
          cookie: PORTAL_RETURN_COOKIE,
          admit: () => admitToPortal(request, response),
        }),
      });
  }

  /** Checks only the form of the address; the webhooks service checks the signature. */
  function webhookHandler({ path, params }: Operation): Responder {
    return async (request, response) => {
      response.locals.route = path;
      parse(params, request.params);
      await webhooks.forward(request, response, String(request.params['teamId']));
    };
  }
}

/** Whose place a request takes: what a user has of all teams is limited as that of a team. */
function holderOf(principal: Principal | undefined): string {
  if (!principal || principal.kind === 'anonymous') return 'nobody';
  return principal.kind === 'user' ? (principal.teamId ?? principal.userId) : principal.teamId;
}

function ownOperation({ id }: Operation, ownOperations: OwnOperations): Run {
  if (!(id in ownOperations)) throw new Error(`${id} is not implemented.`);
  const run = ownOperations[id as keyof OwnOperations]; // the line before checks it
  // TypeScript cannot connect the id with its function; operationHandler parses the call by the operation's schemas.
  return (call: Call) => (run as (call: Call) => Promise<unknown>)(call);
}
