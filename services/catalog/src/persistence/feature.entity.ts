import { defineEntity, p } from '@mikro-orm/core';
import type { FeatureState } from '@billing/contracts/events/features';
import type { FeatureId, PriceId, ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Feature as FeatureResource, FeatureValue, ProductFeature } from '@billing/contracts/resources/feature';

const FeatureSchema = defineEntity({
  name: 'Feature',
  tableName: 'features',
  uniques: [{ name: 'features_key_unique', properties: ['teamId', 'projectId', 'key'] }],
  indexes: [{ name: 'features_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] }],
  properties: {
    id: p.text().primary().$type<FeatureId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    key: p.text(),
    name: p.text(),
    type: p.text().$type<FeatureResource['type']>(),
    values: p.json().strictNullable().$type<readonly string[] | null>(),
    merge: p.text().strictNullable().$type<FeatureResource['merge']>(),
    isActive: p.boolean(),
    version: p.integer(),
    createdAt: p.datetime(),
  },
});

export class Feature extends FeatureSchema.class {}
FeatureSchema.setClass(Feature);

/** What a product or a price gives of a feature. */
const FeatureGiftSchema = defineEntity({
  name: 'FeatureGift',
  tableName: 'feature_gifts',
  indexes: [
    { name: 'feature_gifts_newest', properties: ['teamId', 'projectId', 'createdAt', 'giverId', 'key'] },
    { name: 'feature_gifts_by_product', properties: ['teamId', 'projectId', 'productId'] },
  ],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    giverId: p.text().primary().$type<ProductId | PriceId>(),
    key: p.text().primary(),
    /** The product that gives it, or whose price does. */
    productId: p.text().$type<ProductId>(),
    /** Null when it gives none any more: the row goes on counting versions. */
    value: p.json().strictNullable().$type<FeatureValue | null>(),
    per: p.text().$type<ProductFeature['per']>(),
    version: p.integer(),
    createdAt: p.datetime(),
  },
});

export class FeatureGift extends FeatureGiftSchema.class {}
FeatureGiftSchema.setClass(FeatureGift);

/** Returns a feature as callers see it. */
export function toFeature(row: Feature): FeatureResource {
  const { id, key, name, type, values, merge, isActive, createdAt } = row;
  return { id, key, name, type, values, merge, isActive, createdAt };
}

/** Returns a feature as other services see it. */
export function toFeatureState({ projectId, key, type, values, merge, isActive, version }: Feature): FeatureState {
  return { projectId, key, type, values, merge, isActive, version };
}
