import type { Request } from 'express';
import type { z } from 'zod';
import type { Operation } from '@billing/contracts/operation';
import { invalid } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { gatewayOperations } from '@billing/contracts/operations/gateway';
import { idempotencyKeyOf } from '@billing/service/idempotency';
import type { Principal } from '@billing/service/identity-token';
import { fieldErrors } from '@billing/service/to-problem';
import { readJson } from '#http/request-body.ts';
import { auditContextOf } from '#http/audit-context.ts';
import type { Responder } from '#http/request-context.ts';
import type { RespondOnce } from './idempotent-response.ts';
import type { Refusals } from './refusals.ts';

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** One call of an operation that the gateway itself serves. */
export interface Call<Called extends Operation = Operation> {
  readonly params: z.output<Called['params']>;
  readonly query: OutputOf<Called['query']>;
  readonly body: OutputOf<Called['body']>;
  /** The signed-in user. */
  readonly userId: string;
  /** Who calls, for the audit log. */
  readonly audit: AuditContext;
  /** Set for a request with an `Idempotency-Key`; stays the same when the request runs again after a crash. */
  readonly operationKey: string | undefined;
  /** Throws Problem 403 `reauthentication_required` unless the password was checked in this session recently. */
  readonly requireFreshSession: () => void;
}

/** Runs one operation. */
export type Run<Called extends Operation = Operation> = (call: Call<Called>) => Promise<z.output<Called['response']>>;

type GatewayOperations = typeof gatewayOperations;
/** One function for each of the gateway's operations; a missing one does not compile. */
export type OwnOperations = { readonly [Id in keyof GatewayOperations]: Run<GatewayOperations[Id]> };

interface HandlerParts {
  readonly run: Run;
  readonly respondOnce: RespondOnce;
  /** Called before the first response with an error is sent that a repeat of the request gets too. */
  readonly onRefused: Refusals['onStatus'];
}

/** Serves an operation: its schemas check the request and the response, and its idempotency key makes a repeat safe. */
export function operationHandler(operation: Operation, { run, respondOnce, onRefused }: HandlerParts): Responder {
  const { method, params, query, body, status, response: responseSchema } = operation;
  return async (request, response) => {
    const { principal, requestId, requireFreshSession } = response.locals;
    if (principal?.kind !== 'user' || !requireFreshSession)
      throw new Error('An operation of the gateway was called without a signed-in user.');
    const call = {
      params: parse(params, request.params),
      query: query ? parse(query, queryOf(request)) : undefined,
      body: body ? parse(body, (await readJson(request)) ?? {}) : await discardBody(request),
      userId: principal.userId,
      requireFreshSession,
    };
    const runEncoded = async (operationKey?: string) => {
      const audit = auditContextOf(operation, principal, response, operationKey);
      return responseSchema.encode(await run({ ...call, operationKey, audit })) as object; // every operation returns an object
    };
    const key = method === 'POST' ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
    if (key === undefined) {
      response.status(status).json(await runEncoded());
      return;
    }
    const idempotentCall = { owner: ownerOf(principal), key, method, path: request.path, body: call.body };
    const result = await respondOnce({ call: idempotentCall, requestId, status }, runEncoded);
    if (result.replayed) response.set('Idempotent-Replayed', 'true');
    else if (result.status >= 400) await onRefused(request, response, result.status);
    response.status(result.status).json(result.body);
  };
}

/** Returns who owns the idempotency key: the project in the path, else the team, else the user. */
const ownerOf = ({ projectId, teamId, userId }: Extract<Principal, { kind: 'user' }>): string =>
  projectId ?? teamId ?? userId;

/** @throws Problem 400 that names every wrong field */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(fieldErrors(result.error));
  return result.data;
}

/** Returns the parameters of the query; one that is repeated becomes a list, which no schema expects. */
function queryOf({ url }: Request): Record<string, string | string[]> {
  const parameters = new URLSearchParams(url.split('?').slice(1).join('?'));
  return Object.fromEntries(
    [...new Set(parameters.keys())].map(name => {
      const [first = '', ...others] = parameters.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

/** Checks an unexpected body by the same rules, and ignores it. */
async function discardBody(request: Request): Promise<undefined> {
  await readJson(request);
}
