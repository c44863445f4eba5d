import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductFeatureSaved } from '@billing/contracts/events/features';
import { requireFits } from '@billing/contracts/feature-value';
import type { ProductId, PriceId, ProjectScope } from '@billing/contracts/ids';
import type { featureOperations } from '@billing/contracts/operations/features';
import type { Pagination } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ProductFeature as ProductFeatureResource, productFeatureSet } from '@billing/contracts/resources/feature';
import { lockObjects } from '@billing/database/advisory-locks';
import { findNewest } from '@billing/database/find-newest';
import type { Publish } from '@billing/messaging/outbox';
import { changesOf, changesWithin, recordAudit } from '@billing/service/audit';
import type { z } from 'zod';
import { ProductFeature, shownOwner, toProductFeature } from '#persistence/feature.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { findFeature } from './change-features.ts';
import { PRICE, PRODUCT } from './record-types.ts';

/** What has features: a product, or a price, whose features replace those of its product. */
export type FeatureOwner =
  | { readonly type: 'product'; readonly id: ProductId }
  | { readonly type: 'price'; readonly id: PriceId };

/**
 * Lists what a product or a price gives, by key.
 * @throws Problem 404
 */
export async function listProductFeatures(
  em: EntityManager,
  scope: ProjectScope,
  owner: FeatureOwner,
): Promise<ProductFeatureResource[]> {
  await findProductOf(em, scope, owner);
  const { teamId, projectId } = scope;
  const where = { teamId, projectId, ownerId: owner.id, value: { $ne: null } };
  const rows = await em.find(ProductFeature, where, { orderBy: { key: 'asc' } });
  return rows.flatMap(row => toProductFeature(row) ?? []);
}

/** Lists what products and prices give, newest first: of one feature, of one product and its prices, or of all. */
export async function listAllProductFeatures(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { featureKey: key, productId, ...page }: z.output<typeof featureOperations.listGivenFeatures.query>,
): Promise<{ readonly productFeatures: ProductFeatureResource[]; readonly pagination: Pagination }> {
  const conditions = { teamId, projectId, key, productId, value: { $ne: null } };
  const [rows, pagination] = await findNewest(em, ProductFeature, conditions, page, { ids: ['ownerId', 'key'] });
  return { productFeatures: rows.flatMap(row => toProductFeature(row) ?? []), pagination };
}

/**
 * Gets what a product or a price gives of a feature.
 * @throws Problem 404
 */
export async function findProductFeature(
  em: EntityManager,
  scope: ProjectScope,
  owner: FeatureOwner,
  key: string,
): Promise<ProductFeatureResource> {
  await findProductOf(em, scope, owner);
  const { teamId, projectId } = scope;
  const row = await em.findOne(ProductFeature, { teamId, projectId, ownerId: owner.id, key });
  const feature = row && toProductFeature(row);
  if (!feature) throw notFound('feature', `This ${owner.type} gives no such feature.`);
  return feature;
}

/**
 * Sets what a product or a price gives of a feature.
 * @throws Problem 404; 422 `feature_value_invalid`
 */
export const setProductFeature =
  ({ outbox, now }: Pick<Dependencies, 'outbox' | 'now'>) =>
  (
    scope: ProjectScope,
    owner: FeatureOwner,
    key: string,
    { value, per }: z.output<typeof productFeatureSet>,
    context: AuditContext,
  ): Promise<ProductFeatureResource> =>
    outbox.transaction(async (tx, publish) => {
      const productId = await findProductOf(tx, scope, owner);
      requireFits(await findFeature(tx, scope, key), value);
      await save(tx, publish, { scope, owner, productId, key, given: { value, per }, context, at: now() });
      return { key, value, per, ...shownOwner({ ownerId: owner.id, productId }) };
    });

/**
 * Lets a product or a price give a feature no longer.
 * @throws Problem 404
 */
export const removeProductFeature =
  ({ outbox, now }: Pick<Dependencies, 'outbox' | 'now'>) =>
  (scope: ProjectScope, owner: FeatureOwner, key: string, context: AuditContext): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const productId = await findProductOf(tx, scope, owner);
      const { per } = await findProductFeature(tx, scope, owner, key);
      await save(tx, publish, { scope, owner, productId, key, given: { value: null, per }, context, at: now() });
    });

interface Saving {
  readonly scope: ProjectScope;
  readonly owner: FeatureOwner;
  readonly productId: ProductId;
  readonly key: string;
  readonly given: Pick<ProductFeature, 'value' | 'per'>;
  readonly context: AuditContext;
  readonly at: Date;
}

async function save(tx: EntityManager, publish: Publish, saving: Saving): Promise<void> {
  const { scope, owner, productId, key, given, context, at } = saving;
  const { teamId, projectId } = scope;
  await lockObjects(tx, 'product-feature', [{ scope, id: `${owner.id} ${key}` }]);
  const ids = { teamId, projectId, ownerId: owner.id, key };
  const existing = await tx.findOne(ProductFeature, ids, { refresh: true });
  const changes = changesOf(existing && { value: existing.value, per: existing.per }, given);
  const target = { type: owner.type, id: owner.id } as const;
  recordAudit(publish, teamId, context, { target, changes: changesWithin(key, changes) });
  if (existing && changes.length === 0) return;
  const row = existing ?? tx.create(ProductFeature, { ...ids, ...given, productId, version: 0, createdAt: at });
  Object.assign(row, given, { version: row.version + 1, createdAt: existing?.value === null ? at : row.createdAt });
  await tx.flush();
  publish(ProductFeatureSaved, teamId, { projectId, ownerId: owner.id, key, ...given, version: row.version });
}

/**
 * Finds the product that is the owner, or whose price is.
 * @throws Problem 404
 */
async function findProductOf(em: EntityManager, scope: ProjectScope, owner: FeatureOwner): Promise<ProductId> {
  if (owner.type === 'product') return (await PRODUCT.rows.find(em, scope, owner.id)).id;
  return (await PRICE.rows.find(em, scope, owner.id)).productId;
}
