import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { CustomerId, PriceId, ProjectScope } from '@billing/contracts/ids';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { DescribeCustomerBilling } from '@billing/contracts/rpc/calls';
import { toResource } from '#persistence/invoice.entity.ts';
import { Subscription, toState } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { findMigrating } from './change-ids.ts';
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
    const migrating = await findMigrating(
      em,
      { teamId, projectId },
      running.flatMap(({ id: subscriptionId, schedule }) =>
        schedule?.change ? [{ subscriptionId, changeId: schedule.change.id }] : [],
      ),
    );
    const states = running.map(row => ({
      ...toState(row),
      isMigrating: migrating.has(row.id),
      saveOffer: row.saveOffer,
      hasForeignSchedule: row.schedule !== null && row.schedule.change === null,
    }));
    const productNames = await findProductNames(em, { teamId, projectId }, states.flatMap(pricesOf));
    const page = { limit: Math.min(Math.max(limit, 1), MAX_INVOICES), offset: Math.max(offset, 0) };
    const { invoices, pagination } = await list({ teamId, projectId }, { customerId, withoutDrafts: true, ...page });
    return {
      subscriptions: states.map(state => ({ ...state, productName: productNames[state.priceId ?? ''] ?? null })),
      productNames,
      invoices: invoices.map(toResource),
      invoiceTotal: pagination.total,
    };
  };
}

/** Returns our ids of all prices that a subscription bills, or will bill after a change. */
const pricesOf = ({ priceId, scheduledChange, pendingChange }: SubscriptionState): readonly PriceId[] =>
  [{ priceId }, ...(scheduledChange?.items ?? []), ...(pendingChange?.items ?? [])].flatMap(item => item.priceId ?? []);

/** Returns the names of the products of these prices, by our ids of the prices. */
async function findProductNames(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  priceIds: readonly PriceId[],
): Promise<Record<string, string>> {
  if (priceIds.length === 0) return {};
  const rows = await em.execute<{ price_id: string; name: string }[]>(
    `select price.id as price_id, product.name
       from price_copies price
       join product_copies product
         on (product.team_id, product.project_id, product.id) = (price.team_id, price.project_id, price.product_id)
      where price.team_id = ? and price.project_id = ? and price.id = any(?)`,
    [teamId, projectId, priceIds],
  );
  return Object.fromEntries(rows.map(row => [row.price_id, row.name]));
}
