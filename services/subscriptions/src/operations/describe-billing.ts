import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { DescribeCustomerBilling } from '@billing/contracts/rpc/calls';
import { toResource } from '#persistence/invoice.entity.ts';
import { Subscription, toState } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { listInvoices } from './list-invoices.ts';

type Billing = z.output<typeof DescribeCustomerBilling.reply>;

/** As many invoices as the lists of the API may have. */
const MAX_INVOICES = 100;

/**
 * Returns what a customer may see: every subscription that has not ended, with its product's name, and a page of invoices
 * without drafts.
 */
export function describeBilling(dependencies: Pick<Dependencies, 'em' | 'now'>) {
  const list = listInvoices(dependencies);
  return async (
    { teamId, projectId }: ProjectScope,
    customerId: CustomerId,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<Billing> => {
    const em = dependencies.em.fork();
    const running = await em.find(
      Subscription,
      { teamId, projectId, customerId, status: { $nin: [...ENDED_STATUSES] } },
      { orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
    );
    const productNames = await findProductNames(em, { teamId, projectId }, running);
    const page = { limit: Math.min(Math.max(limit, 1), MAX_INVOICES), offset: Math.max(offset, 0) };
    const { invoices, pagination } = await list({ teamId, projectId }, { customerId, withoutDrafts: true, ...page });
    return {
      subscriptions: running.map(row => ({
        ...toState(row),
        productName: productNames.get(row.priceId ?? '') ?? null,
        cancelAt: row.cancelAt,
      })),
      invoices: invoices.map(toResource),
      invoiceTotal: pagination.total,
    };
  };
}

/** Returns the names of the subscriptions' products by our ids of their prices. */
async function findProductNames(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<string, string>> {
  const priceIds = subscriptions.flatMap(row => row.priceId ?? []);
  if (priceIds.length === 0) return new Map();
  const rows = await em.execute<{ price_id: string; name: string }[]>(
    `select price.id as price_id, product.name
       from price_copies price
       join product_copies product
         on (product.team_id, product.project_id, product.id) = (price.team_id, price.project_id, price.product_id)
      where price.team_id = ? and price.project_id = ? and price.id = any(?)`,
    [teamId, projectId, priceIds],
  );
  return new Map(rows.map(row => [row.price_id, row.name]));
}
