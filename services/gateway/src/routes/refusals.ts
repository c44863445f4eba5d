import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Operation } from '@billing/contracts/operation';
import { toProblem } from '@billing/service/to-problem';
import { auditContextOf } from '#http/audit-context.ts';
import { loggerOf, type GatewayResponse } from '#http/request-context.ts';
import type { RecordRefusal } from '#operations/audit-log.ts';

/** Not 401 and 429: strangers can cause those without end. */
const REFUSED: ReadonlySet<number | undefined> = new Set([400, 403, 404, 409, 422]);

/** Records a request that was refused; what may be repeated with the same credentials later was not. */
export interface Refusals {
  /** Of a response that is about to be sent. */
  readonly onStatus: (request: Request, response: GatewayResponse, status: number) => Promise<void>;
  /** Of a service's response. */
  readonly onUpstream: (request: Request, response: GatewayResponse, upstream: IncomingMessage) => Promise<void>;
  /** Of an error with which the request ends. */
  readonly onError: (request: Request, response: GatewayResponse, error: unknown) => Promise<void>;
}

/** Records the refusals of an operation that declares it, with the caller that authorization has found. */
export function refusalsOf(operation: Operation, record: RecordRefusal): Refusals {
  async function onStatus(request: Request, response: GatewayResponse, status: number): Promise<void> {
    const { knownCaller: caller } = response.locals;
    if (!operation.refusals || !REFUSED.has(status) || !caller || caller.kind === 'anonymous') return;
    const context = auditContextOf(operation, caller, response);
    const params = request.params as Readonly<Record<string, string | undefined>>; // no path has a wildcard
    await record({ operation, params, teamId: caller.teamId, context }).catch((err: unknown) =>
      loggerOf(response).error({ err, audit: context }, 'refused request not in the audit log'),
    );
  }

  return {
    onStatus,
    onUpstream: async (request, response, { statusCode = 500, headers }) => {
      const isRepeat = headers['idempotent-replayed'] !== undefined || headers['retry-after'] !== undefined;
      if (!isRepeat) await onStatus(request, response, statusCode);
    },
    onError: async (request, response, error) => {
      const problem = toProblem(error);
      if (!problem.isTransient) await onStatus(request, response, problem.status);
    },
  };
}
