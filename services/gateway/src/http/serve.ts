import type { z } from 'zod';
import type { Operation } from '@billing/contracts/operation';
import { invalid } from '@billing/contracts/problem';
import type { gatewayOperations } from '@billing/contracts/operations/gateway';
import { fieldErrors } from '@billing/service/field-errors';
import { idempotencyKeyOf } from '@billing/service/idempotency';
import type { Principal } from '@billing/service/identity-token';
import type { AnswerOnce } from './answer-once.ts';
import { readJson } from './body.ts';
import type { Step } from './exchange.ts';

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** One request of an operation of the gateway's own: what was asked, by which signed-in user. */
export interface Call<Served extends Operation = Operation> {
  readonly params: z.output<Served['params']>;
  readonly body: OutputOf<Served['body']>;
  readonly userId: string;
  /** Set for a request with an `Idempotency-Key`, and the same when it is run again after a crash. */
  readonly operationKey: string | undefined;
}

type Handle<Served extends Operation> = (call: Call<Served>) => Promise<z.output<Served['response']>>;

type GatewayOperations = typeof gatewayOperations;
/** What answers each of the gateway's own operations; to leave one out does not compile. */
export type Handlers = { readonly [Id in keyof GatewayOperations]: Handle<GatewayOperations[Id]> };

/** Answers an operation here: its schemas guard what comes in and goes out, and a repeat by its key is answered once. */
export function serveHere(operation: Operation, handle: Handle<Operation>, answerOnce: AnswerOnce): Step {
  const { method, params, body, status, response } = operation;
  return async (request, reply) => {
    const { principal, requestId } = reply.locals;
    if (principal?.kind !== 'user')
      throw new Error('An operation of the gateway was reached without a signed-in user.');
    const asked = {
      params: parse(params, request.params),
      body: body ? parse(body, await readJson(request)) : await discardBody(request),
      userId: principal.userId,
    };
    const answer = async (operationKey?: string) => response.encode(await handle({ ...asked, operationKey })) as object; // every operation answers an object
    const key = method === 'POST' ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
    if (key === undefined) {
      reply.status(status).json(await answer());
      return;
    }
    const call = { owner: ownerOf(principal), key, method, path: request.path, body: asked.body };
    const { replayed, ...answered } = await answerOnce({ call, requestId, status }, answer);
    if (replayed) reply.set('Idempotent-Replayed', 'true');
    reply.status(answered.status).json(answered.body);
  };
}

/** Whose an `Idempotency-Key` is: the project's, else the team's, else the user's. */
const ownerOf = ({ projectId, teamId, userId }: Extract<Principal, { kind: 'user' }>): string =>
  projectId ?? teamId ?? userId;

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(fieldErrors(result.error));
  return result.data;
}

/** A body nobody asked for is held to the same rules and then ignored. */
async function discardBody(request: Parameters<typeof readJson>[0]): Promise<undefined> {
  await readJson(request);
}
