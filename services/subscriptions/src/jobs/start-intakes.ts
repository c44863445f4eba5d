import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { CustomerIntakes } from '#operations/take-in-billing.ts';
import type { Logger } from 'pino';

/** How many intakes one process works on at once. */
const MAX_IN_FLIGHT = 4;

interface IntakesOptions {
  readonly intakes: Pick<CustomerIntakes, 'leaseDue' | 'continueDue'>;
  readonly logger: Logger;
}

/** Goes on with the intakes that no request has completed, until stopped. Copies of the service may run it side by side. */
export const startIntakes = ({ intakes, logger }: IntakesOptions): LeaseLoop =>
  startLeaseLoop({
    name: 'intakes',
    batchSize: MAX_IN_FLIGHT,
    parallel: MAX_IN_FLIGHT,
    lease: intakes.leaseDue,
    work: async rows => {
      await Promise.all(rows.map(intakes.continueDue));
    },
    intervalMs: 1_000,
    logger,
  });
