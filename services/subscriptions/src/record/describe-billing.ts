import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { CustomerId, PriceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { MAX_SHOWN_SUBSCRIPTIONS } from '@billing/contracts/resources/customer-state';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { DescribeCustomerBilling } from '@billing/contracts/rpc/as-customer';
import { CustomerCopy } from '#copies/customer-copy.entity';
import { toState as toInvoice } from '#money/invoice.entity';
import { findMigrating } from '#plan-changes/change-ids';
import { listInvoices } from '#money/list-invoices';
import type { Dependencies } from '../dependencies.ts';
import { Subscription, toState } from './subscription.entity.ts';

type Billing = z.output<typeof DescribeCustomerBilling.reply>;

/** As many invoices as the lists of the API may have. */
const MAX_INVOICES = 100;

/**
 * Returns what a customer may see: the newest 200 subscriptions that have not ended, with their products' names, and a page of invoices
 * without drafts.
 */
export function describeBilling(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'now'>) {
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
      { orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], limit: MAX_SHOWN_SUBSCRIPTIONS },
    );
    const migrating = await findMigrating(
      em,
      { teamId, projectId },
      running.flatMap(({ id: subscriptionId, schedule }) =>
        schedule?.change ? [{ subscriptionId, changeId: schedule.change.id }] : [],
      ),
    );
    const customer = await em.findOne(CustomerCopy, { id: customerId, teamId, projectId });
    const openInvoices = await findOpenInvoices(em, { teamId, projectId }, running);
    const states = running.map(row => ({
      ...toState(row),
      isMigrating: migrating.has(row.id),
      saveOffer: row.saveOffer,
      openInvoiceUrl: openInvoices.get(row.id) ?? null,
      clockNow: customer?.testClockNow ?? null,
      hasForeignSchedule: row.schedule !== null && row.schedule.change === null,
    }));
    const productNames = await findProductNames(em, { teamId, projectId }, states.flatMap(pricesOf));
    const page = { limit: Math.min(Math.max(limit, 1), MAX_INVOICES), offset: Math.max(offset, 0) };
    const { invoices, pagination } = await list({ teamId, projectId }, { customerId, withoutDrafts: true, ...page });
    return {
      subscriptions: states.map(state => ({ ...state, productName: productNames[state.priceId ?? ''] ?? null })),
      productNames,
      invoices: invoices.map(toInvoice),
      invoiceTotal: pagination.total,
    };
  };
}

/** Returns where the newest invoice of each subscription is paid that can be. */
async function findOpenInvoices(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<SubscriptionId, string | null>> {
  if (subscriptions.length === 0) return new Map();
  const rows = await em.execute<{ id: SubscriptionId; url: string | null }[]>(
    `select distinct on (subscription_id) subscription_id as id, hosted_invoice_url as url
       from invoices
      where team_id = ? and project_id = ? and subscription_id = any(?) and status in ('open', 'uncollectible')
      order by subscription_id, created_at desc, id`,
    [teamId, projectId, subscriptions.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, url }) => [id, url]));
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
