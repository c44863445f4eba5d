import { defineEntity, p } from '@mikro-orm/core';
import { featureState, type FeatureState } from '@billing/contracts/events/features';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { FeatureId, PriceId, ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import {
  feature,
  type Feature as FeatureResource,
  type FeatureValue,
  type ProductFeature as ProductFeatureResource,
} from '@billing/contracts/resources/feature';

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
const ProductFeatureSchema = defineEntity({
  name: 'ProductFeature',
  tableName: 'product_features',
  indexes: [
    { name: 'product_features_newest', properties: ['teamId', 'projectId', 'createdAt', 'ownerId', 'key'] },
    { name: 'product_features_by_product', properties: ['teamId', 'projectId', 'productId'] },
  ],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    ownerId: p.text().primary().$type<ProductId | PriceId>(),
    key: p.text().primary(),
    /** The product that is the owner, or whose price is. */
    productId: p.text().$type<ProductId>(),
    /** Null when it gives none any more: the row goes on counting versions. */
    value: p.json().strictNullable().$type<FeatureValue | null>(),
    per: p.text().$type<ProductFeatureResource['per']>(),
    version: p.integer(),
    createdAt: p.datetime(),
  },
});

export class ProductFeature extends ProductFeatureSchema.class {}
ProductFeatureSchema.setClass(ProductFeature);

/** Returns a feature as callers see it. */
export const toFeature = (row: Feature): FeatureResource => fieldsOf(feature, row);

/** Returns a feature as other services see it. */
export const toFeatureState = (row: Feature): FeatureState => fieldsOf(featureState, row);

/** Returns a product feature as callers see it; undefined when nothing is given any more. */
export const toProductFeature = ({ key, value, per, ...row }: ProductFeature): ProductFeatureResource | undefined =>
  value === null ? undefined : { key, value, per, ...shownOwner(row) };

/** Returns the product or the price that gives a feature. */
export const shownOwner = ({ ownerId, productId }: Pick<ProductFeature, 'ownerId' | 'productId'>) =>
  ownerId === productId ? { productId, priceId: null } : { productId: null, priceId: ownerId as PriceId }; // what is no product is a price
