import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { FeatureGiftSaved } from '@billing/contracts/events/features';
import type { PriceId, ProductId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ProductFeature, productFeatureSet } from '@billing/contracts/resources/feature';
import { lockObjects } from '@billing/database/advisory-locks';
import type { Publish } from '@billing/messaging/outbox';
import { changesOf, recordAudit } from '@billing/service/audit';
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
  await requireGiver(em, scope, giver);
  const { teamId, projectId } = scope;
  const where = { teamId, projectId, giverId: giver.id, value: { $ne: null } };
  const gifts = await em.find(FeatureGift, where, { orderBy: { key: 'asc' } });
  return gifts.flatMap(gift => toProductFeature(gift, giver) ?? []);
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
  await requireGiver(em, scope, giver);
  const { teamId, projectId } = scope;
  const gift = await em.findOne(FeatureGift, { teamId, projectId, giverId: giver.id, key });
  const shown = gift && toProductFeature(gift, giver);
  if (!shown) throw notFound('feature');
  return shown;
}

/**
 * Sets what a product or a price gives of a feature.
 * @throws Problem 404; 422 `feature_value_invalid`
 */
export const setGift =
  ({ outbox }: Pick<Dependencies, 'outbox'>) =>
  (
    scope: ProjectScope,
    giver: Giver,
    key: string,
    { value, per }: z.output<typeof productFeatureSet>,
    context: AuditContext,
  ): Promise<ProductFeature> =>
    outbox.transaction(async (tx, publish) => {
      await requireGiver(tx, scope, giver);
      requireFits(await findFeature(tx, scope, key), value);
      await save(tx, publish, { scope, giver, key, given: { value, per }, context });
      return { key, value, per, ...givenBy(giver) };
    });

/**
 * Lets a product or a price give a feature no longer.
 * @throws Problem 404
 */
export const removeGift =
  ({ outbox }: Pick<Dependencies, 'outbox'>) =>
  (scope: ProjectScope, giver: Giver, key: string, context: AuditContext): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const { per } = await findGift(tx, scope, giver, key);
      await save(tx, publish, { scope, giver, key, given: { value: null, per }, context });
    });

interface Saving {
  readonly scope: ProjectScope;
  readonly giver: Giver;
  readonly key: string;
  readonly given: Pick<FeatureGift, 'value' | 'per'>;
  readonly context: AuditContext;
}

async function save(tx: EntityManager, publish: Publish, saving: Saving): Promise<void> {
  const { scope, giver, key, given, context } = saving;
  const { teamId, projectId } = scope;
  await lockObjects(tx, 'feature-gift', [{ scope, id: `${giver.id} ${key}` }]);
  const ids = { teamId, projectId, giverId: giver.id, key };
  const existing = await tx.findOne(FeatureGift, ids, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  const changes = changesOf(existing && { value: existing.value, per: existing.per }, given);
  recordAudit(publish, teamId, context, { target: { type: giver.type, id: giver.id }, changes });
  if (existing && changes.length === 0) return;
  const gift = existing ?? tx.create(FeatureGift, { ...ids, ...given, version: 0 });
  Object.assign(gift, given, { version: gift.version + 1 });
  await tx.flush();
  publish(FeatureGiftSaved, teamId, { projectId, giverId: giver.id, key, ...given, version: gift.version });
}

async function requireGiver(em: EntityManager, scope: ProjectScope, giver: Giver): Promise<void> {
  await (giver.type === 'product' ? PRODUCT.rows.find(em, scope, giver.id) : PRICE.rows.find(em, scope, giver.id));
}

const givenBy = (giver: Giver) => ({
  productId: giver.type === 'product' ? giver.id : null,
  priceId: giver.type === 'price' ? giver.id : null,
});

const toProductFeature = ({ key, value, per }: FeatureGift, giver: Giver): ProductFeature | undefined =>
  value === null ? undefined : { key, value, per, ...givenBy(giver) };
