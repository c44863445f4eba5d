import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { CustomerRecords, PriceGift } from '#domain/customer-state.ts';
import { PriceCopy } from './catalog-copies.entity.ts';
import { CustomerCopy } from './customer-copy.entity.ts';
import { FeatureCopy, FeatureGiftCopy, GrantCopy, ProjectCopy } from './feature-copies.entity.ts';
import { Invoice } from './invoice.entity.ts';
import { Subscription } from './subscription.entity.ts';

/** What a project has until somebody says otherwise. */
const DEFAULT_GRACE_DAYS = 7;

/** A customer by our id, or by the tenant's own one. */
export type CustomerRef = { readonly id: CustomerId } | { readonly externalId: string };

/**
 * Finds a customer that is not deleted.
 * @throws Problem 404
 */
export async function findCustomer(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  ref: CustomerRef,
): Promise<CustomerCopy> {
  const customer = await em.findOne(CustomerCopy, { teamId, projectId, ...ref, deletedAt: null });
  if (!customer) throw notFound('customer');
  return customer;
}

/** All that decides the state of a customer, with the rows of the subscriptions. */
interface FoundRecords {
  readonly subscriptions: readonly Subscription[];
  readonly records: CustomerRecords;
}

/** Reads what decides the state of a customer. */
export async function findCustomerRecords(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
): Promise<FoundRecords> {
  const scope = { teamId, projectId };
  const ofCustomer = { ...scope, customerId };
  const [project, subscriptions, invoices, grants, features] = await Promise.all([
    em.findOne(ProjectCopy, { id: projectId, teamId }),
    em.find(
      Subscription,
      { ...ofCustomer, status: { $nin: [...ENDED_STATUSES] } },
      { orderBy: { createdAt: 'desc', id: 'asc' } },
    ),
    em.find(Invoice, { ...ofCustomer, status: 'open', attempted: true }),
    em.find(GrantCopy, { ...ofCustomer, value: { $ne: null } }),
    em.find(FeatureCopy, { ...scope, isActive: true }),
  ]);
  const priceIds = subscriptions.flatMap(({ items }) => items.flatMap(({ priceId }) => priceId ?? []));
  return {
    subscriptions,
    records: {
      customerId,
      subscriptions,
      openInvoices: invoices.map(invoice => ({ ...invoice, finalizedAt: invoice.finalizedAt ?? invoice.createdAt })),
      grants: grants.flatMap(({ value, ...grant }) => (value === null ? [] : [{ ...grant, value }])),
      features,
      graceDays: project?.graceDays ?? DEFAULT_GRACE_DAYS,
      gifts: await findGifts(em, scope, priceIds),
    },
  };
}

/** Reads what prices give, by price: a price's value replaces its product's. Archived and deleted ones go on giving. */
async function findGifts(
  em: EntityManager,
  scope: ProjectScope,
  priceIds: readonly PriceCopy['id'][],
): Promise<ReadonlyMap<string, PriceGift>> {
  if (priceIds.length === 0) return new Map();
  const prices = await em.find(PriceCopy, { ...scope, id: { $in: [...priceIds] } });
  const givers = prices.flatMap(({ id, productId }) => [id, productId]);
  const gifts = await em.find(FeatureGiftCopy, { ...scope, giverId: { $in: givers }, value: { $ne: null } });
  const byGiver = Map.groupBy(gifts, ({ giverId }) => giverId);
  return new Map(
    prices.map(({ id, productId }) => {
      const given = [...(byGiver.get(productId) ?? []), ...(byGiver.get(id) ?? [])];
      const byKey = new Map(given.map(gift => [gift.key, gift]));
      const features = [...byKey.values()].flatMap(({ key, value, per }) =>
        value === null ? [] : [{ key, value, isPerQuantity: per === 'quantity' }],
      );
      return [id, { productId, features }];
    }),
  );
}
