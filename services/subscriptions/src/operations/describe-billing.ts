import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { DescribeCustomerBilling } from '@billing/contracts/rpc/calls';
import { ENDED_STATUSES } from '#domain/subscription.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import { toResource } from '#wire/invoice.ts';
import { toState } from '#wire/subscription.ts';
import { listInvoices } from './list-invoices.ts';

type Billing = z.output<typeof DescribeCustomerBilling.reply>;

/** Pages of invoices are no longer than the lists of the API. */
const MAX_INVOICES = 100;

/** What a customer may see: every subscription that has not ended, by its product's name, and a page of invoices but drafts. */
export async function describeBilling(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
  invoicePage: { limit: number; offset: number },
): Promise<Billing> {
  const running = await em.find(
    Subscription,
    { teamId, projectId, customerId, status: { $nin: [...ENDED_STATUSES] } },
    { orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
  );
  const names = await productNames(em, { teamId, projectId }, running);
  const page = {
    limit: Math.min(Math.max(invoicePage.limit, 1), MAX_INVOICES),
    offset: Math.max(invoicePage.offset, 0),
  };
  const { invoices, pagination } = await listInvoices(
    em,
    { teamId, projectId },
    { customerId, withoutDrafts: true, ...page },
  );
  return {
    subscriptions: running.map(row => ({
      ...toState(row),
      productName: names.get(row.priceId ?? '') ?? null,
      cancelAt: row.cancelAt ?? null,
    })),
    invoices: invoices.map(toResource),
    invoiceTotal: pagination.total,
  };
}

async function productNames(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<string, string>> {
  const priceIds = subscriptions.flatMap(row => row.priceId ?? []);
  if (priceIds.length === 0) return new Map();
  const rows = await em.execute<{ price_id: string; name: string }[]>(
    `select price.id as price_id, product.name
       from known_prices price
       join known_products product
         on (product.team_id, product.project_id, product.id) = (price.team_id, price.project_id, price.product_id)
      where price.team_id = ? and price.project_id = ? and price.id in (?)`,
    [teamId, projectId, priceIds],
  );
  return new Map(rows.map(row => [row.price_id, row.name]));
}
