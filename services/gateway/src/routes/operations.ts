import { Router, type ErrorRequestHandler } from 'express';
import type { Operation } from '@billing/contracts/operation';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { type IsOverloaded, overloaded } from '@billing/service/overloaded';
import type { RecordRefusal } from '#operations/audit-log.ts';
import type { AuthorizeRequest } from '#auth/authorize-request.ts';
import type { Handler } from '#http/request-context.ts';
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
}

/**
 * One route for each declared operation, and no others.
 * @throws Error for an operation with an unknown access, with the path of another one, or without an implementation
 */
export function operationRoutes(dependencies: Dependencies): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const handlersOf = routeHandlers(dependencies);
  const routed = new Set<string>();

  // Express tries routes in order, and webhooks are the most frequent requests.
  for (const operation of dependencies.operations.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { method, path } = operation;
    const route = `${method} ${path.replaceAll(/:\w+/g, ':')}`;
    if (routed.has(route)) throw new Error(`Two operations are declared at ${route}.`);
    routed.add(route);
    router[METHODS[method]](path, ...handlersOf(operation));
  }
  return router;
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

const rankOf = ({ access }: Operation): number => (access.kind === 'signature' ? 0 : 1);

/** Returns a function that chooses the handlers of an operation by its access and its service. */
function routeHandlers(dependencies: Dependencies): (operation: Operation) => (Handler | ErrorRequestHandler)[] {
  const { authorizeRequest, admitToPortal, proxy, webhooks, ownOperations, respondOnce, isOverloaded } = dependencies;

  return operation => {
    const authorize: Handler = async (request, response, next) => {
      Object.assign(response.locals, await authorizeRequest(operation, request.params, request, response));
      next();
    };
    const named: Handler = (_request, response, next) => {
      response.locals.route = operation.path;
      next();
    };
    const refusals = refusalsOf(operation, dependencies.recordRefusal);
    const handle =
      operation.service === 'gateway' ? ownHandler(operation, refusals) : proxyHandler(operation, refusals);
    switch (operation.access.kind) {
      case 'project':
      case 'project-session':
      case 'team':
      case 'session':
      case 'portal-token':
        return [named, authorize, handle, refusals.errorHandler];
      case 'signature':
        return [named, webhookHandler(operation)];
      default:
        throw new Error(`${operation.id} has no known access.`, { cause: operation.access satisfies never });
    }
  };

  function ownHandler(operation: Operation, refusals: Refusals): Handler {
    const run = ownOperation(operation, ownOperations);
    const handle = operationHandler(operation, { run, respondOnce, onRefused: refusals.onStatus });
    // Keys and members can be removed at any time, so DELETE is served under overload.
    if (operation.method === 'GET' || operation.method === 'DELETE') return handle;
    return (request, response, next) => {
      if (isOverloaded()) throw overloaded();
      return handle(request, response, next);
    };
  }

  function proxyHandler({ service, access, body }: Operation, refusals: Refusals): Handler {
    if (service === 'gateway') throw new Error('The gateway does not forward requests to itself.');
    return (request, response, next) =>
      proxy.forward(request, response, next, {
        service,
        principal: response.locals.principal ?? { kind: 'anonymous' },
        body: body ? 'json' : 'discard',
        inspect: upstream => refusals.onUpstream(request, response, upstream),
        ...(access.kind === 'portal-token' && {
          cookie: PORTAL_RETURN_COOKIE,
          admit: () => admitToPortal(request, response),
        }),
      });
  }

  /** Checks only the form of the address; the webhooks service checks the signature. */
  function webhookHandler({ params }: Operation): Handler {
    return async (request, response) => {
      parse(params, request.params);
      await webhooks.forward(request, response, String(request.params['teamId']));
    };
  }
}

function ownOperation({ id }: Operation, ownOperations: OwnOperations): Run {
  if (!(id in ownOperations)) throw new Error(`${id} is not implemented.`);
  const run = ownOperations[id as keyof OwnOperations]; // the line before checks it
  // TypeScript cannot connect the id with its function; operationHandler parses the call by the operation's schemas.
  return (call: Call) => (run as (call: Call) => Promise<unknown>)(call);
}
