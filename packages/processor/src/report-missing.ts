import type { TeamId } from '@billing/contracts/ids';
import { ReportMissingObject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { callsAround } from './calls-around.ts';
import { ProcessorError } from './errors.ts';
import type { Processor } from './port.ts';

/** For how long an object that was reported is not reported again, in milliseconds. */
const QUIET_MS = 60_000;
const MAX_REPORTED = 10_000;

/**
 * Returns what reports to webhooks every object that a team's processor does not have: the event of its end may be lost, and the
 * caller gets a 404 for a record that is still listed. A report that is lost is made by the next call.
 */
export function missingReporter({ rpc, logger }: { readonly rpc: RpcClient; readonly logger: Logger }) {
  const reported = new LRUCache<string, true>({ max: MAX_REPORTED, ttl: QUIET_MS });
  const report = (teamId: TeamId, err: unknown): void => {
    if (!(err instanceof ProcessorError) || !err.missing) return;
    const { type, processorId } = err.missing;
    const key = JSON.stringify([teamId, type, processorId]);
    if (reported.has(key)) return;
    reported.set(key, true);
    rpc.call(ReportMissingObject, { teamId, type, processorId }).catch((cause: unknown) => {
      reported.delete(key);
      logger.info({ err: cause, teamId, type, processorId }, 'missing object not reported');
    });
  };
  return (teamId: TeamId, processor: Processor): Processor =>
    callsAround(processor, call =>
      call().catch((err: unknown) => {
        report(teamId, err);
        throw err;
      }),
    );
}
