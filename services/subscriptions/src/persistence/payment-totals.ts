import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { COLLECTED_STATUSES, type PaymentTotals } from '@billing/contracts/resources/payment';
import { Invoice } from './invoice.entity.ts';
import { pastDueAt } from './past-due.ts';
import { Payment } from './payment.entity.ts';

type Totals = PaymentTotals['collected'];

/** A sum, exact in PostgreSQL, of at most what JSON represents exactly. */
const sumOf = (amount: string) => raw(`least(sum(${amount}), ${Number.MAX_SAFE_INTEGER})::text as amount`);
const COUNT = raw('count(*)::int as count');

/** Sums up what payments took that were created since a time, less their refunds. */
export async function sumCollected(em: EntityManager, scope: ProjectScope, since: Date): Promise<Totals> {
  const rows = await em
    .createQueryBuilder(Payment)
    .select(['currency', sumOf('amount - amount_refunded'), COUNT])
    .where({ ...scope, createdAt: { $gte: since }, status: { $in: COLLECTED_STATUSES } })
    .groupBy('currency')
    .orderBy({ currency: 'asc' })
    .execute<Row[]>('all');
  return rows.map(toTotal);
}

/** Sums up what remains to be paid of invoices that are past due. */
export async function sumPastDue(em: EntityManager, scope: ProjectScope, now: Date): Promise<Totals> {
  const rows = await em
    .createQueryBuilder(Invoice)
    .select(['currency', sumOf('amount_remaining'), COUNT])
    .where({ ...scope, ...pastDueAt(now) })
    .groupBy('currency')
    .orderBy({ currency: 'asc' })
    .execute<Row[]>('all');
  return rows.map(toTotal);
}

interface Row {
  readonly currency: string;
  readonly amount: string;
  readonly count: number;
}

const toTotal = ({ currency, amount, count }: Row) => ({ currency, amount: Number(amount), count });
