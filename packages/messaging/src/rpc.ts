import { createInbox, RequestError, type NatsConnection } from '@nats-io/transport-node';
import { Problem, PROBLEM_STATUS, unavailable, type ProblemKind } from '@billing/contracts/problem';
import type { Rpc } from '@billing/contracts/rpc';
import type { Logger } from 'pino';
import { z } from 'zod';
import { carriedBy, headersOf } from './message-headers.ts';
import { withCallSpan, withServeSpan } from './spans.ts';
import { replyInboxOf, rpcSubject } from './subjects.ts';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

/** Calls other services. */
export interface RpcClient {
  /**
   * Sends a request to the service that serves `rpc` and returns its reply.
   * @throws Problem the one that the service replied with, or `unavailable` when no copy of it replies in time
   */
  call<Request extends z.ZodType, Reply extends z.ZodType>(
    rpc: Rpc<Request, Reply>,
    request: z.output<Request>,
    timeoutMs?: number,
  ): Promise<z.output<Reply>>;
}

/** Where calls are sent and served: a connection, and the first token of their subjects. */
interface RpcTransport {
  readonly nats: NatsConnection;
  readonly root: string;
}

interface RpcClientOptions extends RpcTransport {
  /** The first token of the caller's inboxes. */
  readonly inbox: string;
  /** Names of the calls that the caller has declared; every call unless given. */
  readonly declared?: { has(name: string): boolean };
  /** Gets the calls that take a second and longer. */
  readonly logger?: Logger;
}

const DEFAULT_TIMEOUT_MS = 3_000;
/** Calls that take longer are named in the log, in milliseconds. */
const SLOW_MS = 1_000;

const replyBody = z.union([
  z.object({ reply: z.unknown() }),
  z.object({
    problem: z.object({
      kind: z.enum(Object.keys(PROBLEM_STATUS) as [ProblemKind, ...ProblemKind[]]), // an object's keys are typed as string
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

/** Opens a client that calls other services over the bus's request and reply. */
export function openRpcClient({ nats, root, inbox, declared, logger }: RpcClientOptions): RpcClient {
  return {
    async call(rpc, request, timeoutMs = DEFAULT_TIMEOUT_MS) {
      if (declared && !declared.has(rpc.name))
        throw new Error(`The service has not declared that it calls ${rpc.name}; see contracts/src/bus-access.ts.`);
      const body = JSON.stringify(rpc.request.encode(request));
      const send = (carried: TraceCarrier) =>
        nats
          .request(rpcSubject(root, rpc), body, {
            timeout: timeoutMs,
            headers: headersOf(carried),
            noMux: true,
            // An inbox for this call: its owner may reply to it and to no other inbox of the caller.
            reply: createInbox(replyInboxOf(inbox, rpc.owner)),
          })
          .catch((err: unknown) => {
            const why = err instanceof RequestError ? 'no copy of it is running' : 'no reply in time';
            throw unavailable(`The ${rpc.owner} service is not reachable at the moment (${why}).`, 2, { cause: err });
          });
      const startedAt = performance.now();
      const message = await withCallSpan(rpc.name, send).finally(() => {
        const ms = Math.round(performance.now() - startedAt);
        if (ms >= SLOW_MS) logger?.warn({ rpc: rpc.name, ms }, 'slow call');
      });
      const received = replyBody.parse(message.json());
      if ('problem' in received) {
        const { kind, code, message: text, details } = received.problem;
        throw new Problem(kind, code, text, details ? { details } : {});
      }
      return rpc.reply.parse(received.reply);
    },
  };
}

/**
 * Serves a call; copies of the service share the requests. Returns a function that stops serving once the requests in
 * flight have their replies.
 */
export function serveRpc<Request extends z.ZodType, Reply extends z.ZodType>(
  { nats, root, logger }: RpcTransport & { readonly logger: Logger },
  rpc: Rpc<Request, Reply>,
  handle: (request: z.output<Request>) => Promise<z.output<Reply>>,
): () => Promise<void> {
  const subscription = nats.subscribe(rpcSubject(root, rpc), { queue: rpc.owner });
  const replyTo = async (body: unknown): Promise<unknown> => {
    try {
      return { reply: rpc.reply.encode(await handle(rpc.request.parse(body))) };
    } catch (err) {
      if (err instanceof Problem) {
        const { kind, code, message, details } = err;
        return { problem: { kind, code, message, details } };
      }
      logger.error({ err, rpc: rpc.name }, 'rpc failed');
      return { problem: { kind: 'unavailable', code: 'unavailable', message: 'The call failed.' } };
    }
  };
  const inFlight = new Set<Promise<unknown>>();
  const serving = (async () => {
    for await (const message of subscription) {
      const serve = () => replyTo(message.json());
      const replying = withServeSpan(rpc.name, carriedBy(message), serve)
        .then(it => message.respond(JSON.stringify(it)))
        .finally(() => inFlight.delete(replying));
      inFlight.add(replying);
    }
    await Promise.all(inFlight);
  })();
  return async () => {
    await subscription.drain();
    await serving;
  };
}
