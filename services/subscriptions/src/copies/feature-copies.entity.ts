import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Feature, FeatureValue, ProductFeature } from '@billing/contracts/resources/feature';

const ProjectCopySchema = defineEntity({
  name: 'ProjectCopy',
  tableName: 'project_copies',
  properties: {
    id: p.text().$type<ProjectId>().primary(),
    teamId: p.text().$type<TeamId>(),
    graceDays: p.integer(),
    automaticTax: p.boolean(),
    /** Whether subscriptions give while their payments are paused. */
    entitlementsWhilePaused: p.boolean(),
    version: p.integer(),
  },
});

/** A copy of what this service needs of a project; the gateway owns it. */
export class ProjectCopy extends ProjectCopySchema.class {}
ProjectCopySchema.setClass(ProjectCopy);

const FeatureCopySchema = defineEntity({
  name: 'FeatureCopy',
  tableName: 'feature_copies',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    key: p.text().primary(),
    type: p.text().$type<Feature['type']>(),
    values: p.json().strictNullable().$type<Feature['values']>(),
    merge: p.text().strictNullable().$type<Feature['merge']>(),
    isActive: p.boolean(),
    version: p.integer(),
  },
});

/** A copy of a feature; the catalog owns it. */
export class FeatureCopy extends FeatureCopySchema.class {}
FeatureCopySchema.setClass(FeatureCopy);

const ProductFeatureCopySchema = defineEntity({
  name: 'ProductFeatureCopy',
  tableName: 'product_feature_copies',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    ownerId: p.text().$type<ProductId | PriceId>().primary(),
    key: p.text().primary(),
    /** Null when it gives none any more. */
    value: p.json().strictNullable().$type<FeatureValue | null>(),
    per: p.text().$type<ProductFeature['per']>(),
    version: p.integer(),
  },
});

/** A copy of what a product or a price gives; the catalog owns it. */
export class ProductFeatureCopy extends ProductFeatureCopySchema.class {}
ProductFeatureCopySchema.setClass(ProductFeatureCopy);

const GrantCopySchema = defineEntity({
  name: 'GrantCopy',
  tableName: 'grant_copies',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    customerId: p.text().$type<CustomerId>().primary(),
    key: p.text().primary(),
    /** Null when it was taken back. */
    value: p.json().strictNullable().$type<FeatureValue | null>(),
    expiresAt: p.datetime().strictNullable(),
    version: p.integer(),
  },
});

/** A copy of what was given to a customer; the customers service owns it. */
export class GrantCopy extends GrantCopySchema.class {}
GrantCopySchema.setClass(GrantCopy);
