import { Router } from 'express';
import type { Operation } from '@billing/contracts/operation';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { invalid } from '@billing/contracts/problem';
import { fieldErrors } from '@billing/service/field-errors';
import { type IsOverloaded, overloaded } from '@billing/service/overloaded';
import type { Admit } from '#admission/admit.ts';
import type { Limits } from '#admission/limits.ts';
import type { Deliveries } from '#forwarding/deliveries.ts';
import type { Forwarding } from '#forwarding/forward.ts';
import type { AnswerOnce } from '#http/answer-once.ts';
import type { Step } from '#http/exchange.ts';
import { serveHere, type Call, type Handlers } from '#http/serve.ts';

interface RoutingParts {
  readonly operations: readonly Operation[];
  readonly admit: Admit;
  readonly limits: Pick<Limits, 'checkPortalTokens' | 'countBadPortalToken'>;
  readonly forwarding: Forwarding;
  readonly deliveries: Deliveries;
  readonly handlers: Handlers;
  readonly answerOnce: AnswerOnce;
  /** While it says so, no writes to what the gateway owns are taken. */
  readonly isOverloaded: IsOverloaded;
}

/**
 * One route for each declared operation, and none besides.
 * @throws Error for a declaration that says not who may call it, is there twice, or has nobody to answer it
 */
export function operationRoutes(parts: RoutingParts): Router {
  const { operations, admit, limits, forwarding, deliveries, handlers, answerOnce, isOverloaded } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  const routed = new Set<string>();

  // Express looks through routes in their order, and webhooks come in floods.
  for (const operation of operations.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { method, path } = operation;
    const route = `${method} ${path.replaceAll(/:\w+/g, ':')}`;
    if (routed.has(route)) throw new Error(`Two operations are declared at ${route}.`);
    routed.add(route);
    const steps = stepsOf(operation);
    switch (method) {
      case 'GET':
        router.get(path, ...steps);
        break;
      case 'POST':
        router.post(path, ...steps);
        break;
      case 'PUT':
        router.put(path, ...steps);
        break;
      case 'PATCH':
        router.patch(path, ...steps);
        break;
      case 'DELETE':
        router.delete(path, ...steps);
        break;
      default:
        throw new Error(`No such method: ${String(method satisfies never)}.`);
    }
  }
  return router;

  function stepsOf(operation: Operation): Step[] {
    const admitted: Step = async (request, reply, next) => {
      reply.locals.principal = await admit(operation, request.params, request);
      next();
    };
    const answered = operation.service === 'gateway' ? answeredHere(operation) : sentOn(operation);
    switch (operation.access.kind) {
      case 'project':
      case 'project-session':
      case 'team':
      case 'session':
        return [admitted, answered];
      case 'signature':
        return [deliveredTo(operation)];
      case 'portal-token':
        return [guardPortalTokens(limits), admitted, answered];
      default:
        throw new Error(`${operation.id} does not say who may call it.`, { cause: operation.access satisfies never });
    }
  }

  function answeredHere(operation: Operation): Step {
    const answer = serveHere(operation, handlerOf(operation), answerOnce);
    // A key or a member is taken away at any time.
    if (operation.method === 'GET' || operation.method === 'DELETE') return answer;
    return (request, reply, next) => {
      if (isOverloaded()) throw overloaded();
      return answer(request, reply, next);
    };
  }

  function sentOn({ service, access, body }: Operation): Step {
    if (service === 'gateway') throw new Error('The gateway does not forward to itself.');
    return (request, reply, next) =>
      forwarding.forward(request, reply, next, {
        service,
        principal: reply.locals.principal ?? { kind: 'anonymous' },
        takes: body ? 'json' : 'nothing',
        ...(access.kind === 'portal-token' && {
          cookie: PORTAL_RETURN_COOKIE,
          onStatus: countBadTokens(limits, request.ip),
        }),
      });
  }

  /** The service checks the signature, before anything else but the form of the address. */
  function deliveredTo({ params }: Operation): Step {
    return async (request, reply) => {
      const read = params.safeParse(request.params);
      if (!read.success) throw invalid(fieldErrors(read.error));
      await deliveries.forward(request, reply, String(request.params['teamId']));
    };
  }

  function handlerOf({ id }: Operation) {
    if (!(id in handlers)) throw new Error(`Nothing answers ${id}.`);
    const handler = handlers[id as keyof Handlers]; // just checked
    // Which of the handlers it is, and so what it takes, only its operation's schemas know.
    return (call: Call) => (handler as (call: Call) => Promise<unknown>)(call);
  }
}

const rankOf = ({ access }: Operation): number => (access.kind === 'signature' ? 0 : 1);

/** The customers' page and what it needs, which are pages and no operations. */
export function portalPageRoutes({ limits, forwarding }: Pick<RoutingParts, 'limits' | 'forwarding'>): Router {
  const page: Step = (request, reply, next) =>
    forwarding.forward(request, reply, next, {
      service: 'portal',
      principal: { kind: 'anonymous' },
      takes: 'json',
      cookie: PORTAL_RETURN_COOKIE,
      onStatus: countBadTokens(limits, request.ip),
    });
  const guard = guardPortalTokens(limits);
  // Without script the page's actions are forms.
  return Router({ caseSensitive: true, strict: true })
    .get('/portal/*rest', guard, page)
    .post('/portal/*rest', guard, page);
}

function guardPortalTokens(limits: RoutingParts['limits']): Step {
  return async (request, _reply, next) => {
    await limits.checkPortalTokens(request.ip ?? '');
    next();
  };
}

/** What the portal does not know is taken for a guess. */
function countBadTokens(limits: RoutingParts['limits'], address = '') {
  return (status: number): void => {
    if (status === 404) void limits.countBadPortalToken(address);
  };
}
