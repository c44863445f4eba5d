import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { FeatureGiftSaved } from '@billing/contracts/events/features';
import type { PriceId, ProductId, ProjectScope } from '@billing/contracts/ids';
import type { featureOperations } from '@billing/contracts/operations/features';
import type { Pagination } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ProductFeature, productFeatureSet } from '@billing/contracts/resources/feature';
import { lockObjects } from '@billing/database/advisory-locks';
import { findNewest } from '@billing/database/find-newest';
import type { Publish } from '@billing/messaging/outbox';
import { changesOf, changesWithin, recordAudit } from '@billing/service/audit';
import type { z } from 'zod';
import { requireFits } from '@billing/contracts/feature-value';
import { FeatureGift } from '#persistence/feature.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { findFeature } from './change-features.ts';
import { PRICE, PRODUCT } from './record-types.ts';

/** What gives features: a product, or a price instead of its product. */
export type Giver =
  | { readonly type: 'product'; readonly id: ProductId }
  | { readonly type: 'price'; readonly id: PriceId };

/**
 * Lists what a product or a price gives, by key.
 * @throws Problem 404
 */
export async function listGifts(em: EntityManager, scope: ProjectScope, giver: Giver): Promise<ProductFeature[]> {
  await findProductOf(em, scope, giver);
  const { teamId, projectId } = scope;
  const where = { teamId, projectId, giverId: giver.id, value: { $ne: null } };
  const gifts = await em.find(FeatureGift, where, { orderBy: { key: 'asc' } });
  return gifts.flatMap(gift => toProductFeature(gift) ?? []);
}

/** Lists what products and prices give, newest first: of one feature, of one product and its prices, or of all. */
export async function listAllGifts(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { featureKey: key, productId, ...page }: z.output<typeof featureOperations.listGivenFeatures.query>,
): Promise<{ readonly productFeatures: ProductFeature[]; readonly pagination: Pagination }> {
  const conditions = { teamId, projectId, key, productId, value: { $ne: null } };
  const [gifts, pagination] = await findNewest(em, FeatureGift, conditions, page, { ids: ['giverId', 'key'] });
  return { productFeatures: gifts.flatMap(gift => toProductFeature(gift) ?? []), pagination };
}

/**
 * Gets what a product or a price gives of a feature.
 * @throws Problem 404
 */
export async function findGift(
  em: EntityManager,
  scope: ProjectScope,
  giver: Giver,
  key: string,
): Promise<ProductFeature> {
  await findProductOf(em, scope, giver);
  const { teamId, projectId } = scope;
  const gift = await em.findOne(FeatureGift, { teamId, projectId, giverId: giver.id, key });
  const shown = gift && toProductFeature(gift);
  if (!shown) throw notFound('feature', `This ${giver.type} gives no such feature.`);
  return shown;
}

/**
 * Sets what a product or a price gives of a feature.
 * @throws Problem 404; 422 `feature_value_invalid`
 */
export const setGift =
  ({ outbox, now }: Pick<Dependencies, 'outbox' | 'now'>) =>
  (
    scope: ProjectScope,
    giver: Giver,
    key: string,
    { value, per }: z.output<typeof productFeatureSet>,
    context: AuditContext,
  ): Promise<ProductFeature> =>
    outbox.transaction(async (tx, publish) => {
      const productId = await findProductOf(tx, scope, giver);
      requireFits(await findFeature(tx, scope, key), value);
      const giverId = giver.id;
      await save(tx, publish, { scope, giver, productId, key, given: { value, per }, context, at: now() });
      return { key, value, per, ...givenBy({ giverId, productId }) };
    });

/**
 * Lets a product or a price give a feature no longer.
 * @throws Problem 404
 */
export const removeGift =
  ({ outbox, now }: Pick<Dependencies, 'outbox' | 'now'>) =>
  (scope: ProjectScope, giver: Giver, key: string, context: AuditContext): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const productId = await findProductOf(tx, scope, giver);
      const { per } = await findGift(tx, scope, giver, key);
      await save(tx, publish, { scope, giver, productId, key, given: { value: null, per }, context, at: now() });
    });

interface Saving {
  readonly scope: ProjectScope;
  readonly giver: Giver;
  readonly productId: ProductId;
  readonly key: string;
  readonly given: Pick<FeatureGift, 'value' | 'per'>;
  readonly context: AuditContext;
  readonly at: Date;
}

async function save(tx: EntityManager, publish: Publish, saving: Saving): Promise<void> {
  const { scope, giver, productId, key, given, context, at } = saving;
  const { teamId, projectId } = scope;
  await lockObjects(tx, 'feature-gift', [{ scope, id: `${giver.id} ${key}` }]);
  const ids = { teamId, projectId, giverId: giver.id, key };
  const existing = await tx.findOne(FeatureGift, ids, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  const changes = changesOf(existing && { value: existing.value, per: existing.per }, given);
  const target = { type: giver.type, id: giver.id } as const;
  recordAudit(publish, teamId, context, { target, changes: changesWithin(key, changes) });
  if (existing && changes.length === 0) return;
  const gift = existing ?? tx.create(FeatureGift, { ...ids, ...given, productId, version: 0, createdAt: at });
  Object.assign(gift, given, { version: gift.version + 1, createdAt: existing?.value === null ? at : gift.createdAt });
  await tx.flush();
  publish(FeatureGiftSaved, teamId, { projectId, giverId: giver.id, key, ...given, version: gift.version });
}

/**
 * Finds the product that gives, or whose price does.
 * @throws Problem 404
 */
async function findProductOf(em: EntityManager, scope: ProjectScope, giver: Giver): Promise<ProductId> {
  if (giver.type === 'product') return (await PRODUCT.rows.find(em, scope, giver.id)).id;
  return (await PRICE.rows.find(em, scope, giver.id)).productId;
}

const givenBy = ({ giverId, productId }: Pick<FeatureGift, 'giverId' | 'productId'>) =>
  giverId === productId ? { productId, priceId: null } : { productId: null, priceId: giverId as PriceId }; // what is no product is a price

const toProductFeature = ({ key, value, per, ...gift }: FeatureGift): ProductFeature | undefined =>
  value === null ? undefined : { key, value, per, ...givenBy(gift) };
