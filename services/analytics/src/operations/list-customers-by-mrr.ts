import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import { toPage } from '@billing/contracts/pagination';
import { markList } from '@billing/database/cursors';
import type { RpcClient } from '@billing/messaging/rpc';
import { priceSubscriptionsMetric } from '#domain/metrics.ts';
import { weighRevenue } from '#domain/mrr.ts';
import { LAST_DAY } from '#domain/utc-day.ts';
import { findCustomersByMrr } from '#persistence/customers-by-mrr.ts';
import { readDailyMetrics } from '#persistence/metrics.ts';
import { findProject, readProject } from '#persistence/projects.ts';
import { findBaseCurrency } from './find-base-currency.ts';
import { readCustomerMetrics } from './get-customers.ts';

type Query = z.output<typeof analyticsOperations.listCustomersByMrr.query>;
type Listed = z.output<typeof analyticsOperations.listCustomersByMrr.response>;

/**
 * Lists a page of the customers with active or trialing subscriptions in one currency by what these add to the monthly
 * recurring revenue, in one snapshot. Reads all such subscriptions.
 * @throws Problem 400 for the cursor of another list or currency, 503 when no event has named the base currency and the
 * gateway does not reply
 */
export function listCustomersByMrr({ em, rpc }: { readonly em: EntityManager; readonly rpc: RpcClient }) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, query: Query): Promise<Listed> => {
    const currency = query.currency ?? (await baseCurrencyOf(scope, await findProject(em.fork(), scope)));
    const list = markList(query, `customers-by-mrr ${currency}`, scope);
    const { rows: listed } = await readProject(em, scope, async (tx, current) => {
      const { totals } = await readDailyMetrics(tx, current, LAST_DAY);
      const priceMetrics = query.priceIds?.map(priceSubscriptionsMetric);
      const wanted = { ...query, currency, priceMetrics, ...weighRevenue(currency, totals) };
      const { rows, count } = await findCustomersByMrr(tx, current, wanted);
      const [page, pagination] = toPage(query, rows, count, ({ id, amount }) => ({
        list,
        at: null,
        ids: [amount, id],
      }));
      const ids = page.map(({ id }) => id);
      return { customers: await readCustomerMetrics(tx, current, ids), pagination };
    });
    return listed;
  };
}
