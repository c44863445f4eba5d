import type { ProjectScope } from '@billing/contracts/ids';
import type { PaymentTotals } from '@billing/contracts/resources/payment';
import { sumCollected, sumPastDue } from '#persistence/payment-totals.ts';
import type { Dependencies } from '../dependencies.ts';

const DAY_MS = 86_400_000;

/** Returns what was collected in the last `growthDays` × 24 hours, and what is past due now. */
export function getPaymentTotals({ em, now }: Pick<Dependencies, 'em' | 'now'>) {
  return async ({ teamId, projectId }: ProjectScope, growthDays: number): Promise<PaymentTotals> => {
    const [scope, time] = [{ teamId, projectId }, now()];
    const [collected, pastDue] = await Promise.all([
      sumCollected(em.fork(), scope, new Date(time.getTime() - growthDays * DAY_MS)),
      sumPastDue(em.fork(), scope, time),
    ]);
    return { collected, pastDue };
  };
}
