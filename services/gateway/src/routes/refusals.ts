import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Request } from 'express';
import type { Operation } from '@billing/contracts/operation';
import { toProblem } from '@billing/service/to-problem';
import { auditContextOf } from '#http/audit-context.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { RecordRefusal } from '#operations/audit-log.ts';

/** Not 401 and 429: strangers can cause those without end. */
const REFUSED: ReadonlySet<number | undefined> = new Set([400, 403, 404, 409, 422]);

/** Records a request that was refused; what may be repeated with the same credentials later was not. */
export interface Refusals {
  /** Of a response that is about to be sent. */
  readonly onStatus: (request: Request, response: GatewayResponse, status: number) => Promise<void>;
  /** Of a service's response. */
  readonly onUpstream: (request: Request, response: GatewayResponse, upstream: IncomingMessage) => Promise<void>;
  /** Of an error; passes it on. */
  readonly errorHandler: ErrorRequestHandler;
}

/** Records the refusals of an operation that declares it, with the caller that authorization has found. */
export function refusalsOf(operation: Operation, record: RecordRefusal): Refusals {
  async function onStatus(request: Request, response: GatewayResponse, status: number): Promise<void> {
    const { knownCaller: caller, logger } = response.locals;
    if (!operation.refusals || !REFUSED.has(status) || !caller || caller.kind === 'anonymous') return;
    const context = auditContextOf(operation, caller, response);
    const params = request.params as Readonly<Record<string, string | undefined>>; // no path has a wildcard
    await record({ operation, params, teamId: caller.teamId, context }).catch((err: unknown) =>
      logger.error({ err, audit: context }, 'refused request not in the audit log'),
    );
  }

  return {
    onStatus,
    onUpstream: async (request, response, { statusCode = 500, headers }) => {
      const isRepeat = headers['idempotent-replayed'] !== undefined || headers['retry-after'] !== undefined;
      if (!isRepeat) await onStatus(request, response, statusCode);
    },
    // Express recognizes an error handler by its four parameters, and passes on what it throws.
    errorHandler: async (error: unknown, request, plainResponse, _next) => {
      const response = plainResponse as GatewayResponse; // the first middleware has filled its locals
      const problem = toProblem(error);
      if (!problem.isTransient) await onStatus(request, response, problem.status);
      throw error;
    },
  };
}
