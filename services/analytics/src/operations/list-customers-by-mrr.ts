import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import { toPage } from '@billing/contracts/pagination';
import { markList } from '@billing/database/cursors';
import type { RpcClient } from '@billing/messaging/rpc';
import { liveCounts } from '#domain/left-out.ts';
import { priceSubscriptionsMetric } from '#domain/metrics.ts';
import { weighRevenue } from '#domain/mrr.ts';
import { LAST_DAY } from '#domain/utc-day.ts';
import { findCustomersByMrr } from '#persistence/customers-by-mrr.ts';
import { readDailyMetrics } from '#persistence/metrics.ts';
import { findProject, readProject } from '#persistence/projects.ts';
import { findBaseCurrency } from './find-base-currency.ts';
import { readCustomerMetrics } from './get-customers.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
}

type Query = z.output<typeof analyticsOperations.listCustomersByMrr.query>;
type Listed = z.output<typeof analyticsOperations.listCustomersByMrr.response>;

/**
 * Lists a page of the customers with active or trialing subscriptions in one currency by what these add to the monthly
 * recurring revenue, in one snapshot. Reads all such subscriptions.
 * @throws Problem 400 for the cursor of another list or currency, 503 when no event has named the base currency and the
 * gateway does not reply
 */
export function listCustomersByMrr({ em, rpc }: Dependencies) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, query: Query): Promise<Listed> => {
    const currency = query.currency ?? (await baseCurrencyOf(scope, await findProject(em.fork(), scope)));
    const list = markList(query, `customers-by-mrr ${currency}`, scope);
    const { rows: listed } = await readProject(em, scope, async (tx, current) => {
      const { totals } = await readDailyMetrics(tx, current, LAST_DAY);
      const live = liveCounts(totals, currency).filter(({ group }) => group.currency === currency);
      const { rows, count } = await findCustomersByMrr(tx, current, {
        ...query,
        ...weighRevenue(currency, totals),
        liveMetrics: live.map(({ metric }) => metric),
        priceMetrics: query.priceIds?.map(priceSubscriptionsMetric),
      });
      const placeOf = ({ id, amount }: (typeof rows)[number]) => ({ list, at: null, ids: [amount, id] });
      const [page, pagination] = toPage(query, rows, count, placeOf);
      const ids = page.map(({ id }) => id);
      return { customers: await readCustomerMetrics(tx, current, ids), pagination };
    });
    return listed;
  };
}
