import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { CreatedRange } from '@billing/contracts/pagination';
import { COLLECTED_STATUSES, type PaymentTotals } from '@billing/contracts/resources/payment';
import { createdWithin } from '@billing/database/find-newest';
import type { Dependencies } from '../dependencies.ts';
import { Invoice } from './invoice.entity.ts';
import { pastDueAt } from './invoice-rows.ts';
import { Payment } from './payment.entity.ts';

type Totals = PaymentTotals['collected'];

/** A sum, exact in PostgreSQL, of at most what JSON represents exactly. */
const sumOf = (amount: string) => raw(`least(sum(${amount}), ${Number.MAX_SAFE_INTEGER})::text as amount`);
const COUNT = raw('count(*)::int as count');

/** Sums up what payments took that were created within a range, less their refunds. */
async function sumCollected(em: EntityManager, scope: ProjectScope, range: CreatedRange): Promise<Totals> {
  const rows = await em
    .createQueryBuilder(Payment)
    .select(['currency', sumOf('amount - amount_refunded'), COUNT])
    .where({ ...scope, createdAt: createdWithin(range) ?? {}, status: { $in: COLLECTED_STATUSES }, testClockId: null })
    .groupBy('currency')
    .orderBy({ currency: 'asc' })
    .execute<Row[]>('all');
  return rows.map(toTotal);
}

/** Sums up what remains to be paid of invoices that are past due. */
async function sumPastDue(em: EntityManager, scope: ProjectScope, now: Date): Promise<Totals> {
  const rows = await em
    .createQueryBuilder(Invoice)
    .select(['currency', sumOf('amount_remaining'), COUNT])
    .where({ ...scope, ...pastDueAt(now, []), testClockId: null })
    .groupBy('currency')
    .orderBy({ currency: 'asc' })
    .execute<Row[]>('all');
  return rows.map(toTotal);
}

interface Query extends CreatedRange {
  readonly growthDays: number;
}

interface Row {
  readonly currency: string;
  readonly amount: string;
  readonly count: number;
}

const toTotal = ({ currency, amount, count }: Row) => ({ currency, amount: Number(amount), count });

const DAY_MS = 86_400_000;

/**
 * Returns what was collected in the last `growthDays` × 24 hours, or in the range, and what is past due now; nothing of what lives on
 * test clocks.
 */
export function getPaymentTotals({ em, now }: Pick<Dependencies, 'em' | 'now'>) {
  return async ({ teamId, projectId }: ProjectScope, { growthDays, ...range }: Query): Promise<PaymentTotals> => {
    const [scope, time] = [{ teamId, projectId }, now()];
    const [collected, pastDue] = await Promise.all([
      sumCollected(em.fork(), scope, { createdAfter: new Date(time.getTime() - growthDays * DAY_MS), ...range }),
      sumPastDue(em.fork(), scope, time),
    ]);
    return { collected, pastDue };
  };
}
