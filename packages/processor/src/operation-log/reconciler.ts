import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { Logger } from 'pino';
import type { OperationLog } from './operation-log.ts';

/** How many operations one process works on at once. */
const MAX_IN_FLIGHT = 20;

interface ReconcilerOptions {
  readonly operationLog: Pick<OperationLog, 'em' | 'leaseDue' | 'finishLeft'>;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

/**
 * Finishes remote operations that were enqueued, or that a crash or an absent processor has left in the log, until
 * stopped. Copies of a service may run it side by side.
 */
export function startReconciler({ operationLog, logger, intervalMs = 1_000 }: ReconcilerOptions): LeaseLoop {
  return startLeaseLoop({
    name: 'operation-log',
    batchSize: MAX_IN_FLIGHT,
    parallel: MAX_IN_FLIGHT,
    lease: limit => operationLog.leaseDue(limit),
    work: async operations => {
      await Promise.all(operations.map(operationLog.finishLeft));
    },
    intervalMs,
    commitsOf: operationLog.em,
    logger,
  });
}
