import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_DECIMALS } from '@billing/contracts/decimal-text';
import type { CustomerId } from '@billing/contracts/ids';
import { skipped, type Page } from '@billing/contracts/pagination';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { otherList } from '@billing/database/cursors';
import { clockedMetric } from '#domain/metrics.ts';
import type { GenerationScope } from './projects.ts';

/** What is wanted of the customers of a currency, and how their revenue in it adds up. */
interface Wanted extends Page {
  readonly currency: string;
  /** Weights of the metrics and their denominator, as `weighRevenue` returns them. */
  readonly weights: Readonly<Record<string, string>>;
  readonly denominator: bigint;
  /** Only customers with a live subscription that adds to one of these metrics. */
  readonly priceMetrics?: readonly string[] | undefined;
  /** In minor units, of the rounded revenue. */
  readonly minMrr?: number | undefined;
  readonly maxMrr?: number | undefined;
}

interface CustomerRow {
  readonly id: CustomerId;
  /** The monthly revenue in units of the last decimal of an amount's text, as which it is rounded. */
  readonly amount: string;
}

/** One minor unit in those of `amount`. */
const MINOR_UNIT = 10n ** BigInt(MAX_DECIMALS);

/**
 * Finds a page of the customers with live subscriptions, and one more, by their revenue, and counts all of them.
 * @throws Problem 400 for the cursor of another list
 */
export async function findCustomersByMrr(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { currency, weights, denominator, priceMetrics, minMrr = 0, maxMrr, ...page }: Wanted,
): Promise<{ readonly rows: readonly CustomerRow[]; readonly count: number }> {
  const [amount = null, id = null] = page.cursor?.ids ?? [];
  if (page.cursor && (id === null || !/^\d+$/.test(amount ?? ''))) throw otherList();
  const found = await executeBound<{ count: number } & (CustomerRow | { id: null })>(
    em,
    `with customers as materialized (
       select r.customer_id as id,
              div(coalesce(sum((c ->> 2)::numeric * w.weight::numeric), 0) * ${MINOR_UNIT} + $6::numeric - 1, $6::numeric) as amount
         from tracked_records r
        cross join lateral json_array_elements(r.contributions) c
         left join json_each_text($5::json) w (metric, weight) on w.metric = c ->> 0
        where r.team_id = $1 and r.project_id = $2 and r.generation = $3 and r.live_metric <> $14 and r.currency = $4
        group by r.customer_id
       having $7::text[] is null or bool_or((c ->> 0) = any($7::text[]))),
     wanted as (select * from customers where amount >= $8::numeric and ($9::numeric is null or amount < $9::numeric))
     select counted.count, page.id, page.amount::text as amount
       from (select count(*)::int as count from wanted) counted
       left join (select * from wanted
                   where $10::numeric is null or amount < $10::numeric or (amount = $10::numeric and id > $11::text)
                   order by amount desc, id limit $12 offset $13) page on true
      order by page.amount desc, page.id`,
    [
      teamId,
      projectId,
      generation,
      currency,
      JSON.stringify(weights),
      `${denominator}`,
      priceMetrics ? textArray(priceMetrics) : null,
      `${BigInt(minMrr) * MINOR_UNIT - MINOR_UNIT / 2n}`,
      maxMrr === undefined ? null : `${BigInt(maxMrr) * MINOR_UNIT + MINOR_UNIT / 2n}`,
      amount,
      id,
      page.limit + 1,
      skipped(page),
      clockedMetric(currency),
    ],
  );
  return { rows: found.filter(row => row.id !== null), count: found[0]?.count ?? 0 };
}
