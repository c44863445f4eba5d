import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CustomerId, PriceId, ProductId, ProjectId } from '../ids.ts';
import { feature, featureKey, featureValue, productFeature } from '../resources/feature.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';

/** A feature's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const featureState = z.object({
  projectId: ProjectId.schema,
  key: featureKey,
  type: feature.shape.type,
  values: z.array(z.string()).readonly().nullable(),
  merge: feature.shape.merge,
  isActive: z.boolean(),
  version,
});
export type FeatureState = z.output<typeof featureState>;

/** What a product or a price gives of a feature, versioned like a feature; `value` is null when it gives none any more. */
export const productFeatureState = z.object({
  projectId: ProjectId.schema,
  ownerId: z.union([ProductId.schema, PriceId.schema]),
  key: featureKey,
  value: featureValue.nullable(),
  per: productFeature.shape.per,
  version,
});
export type ProductFeatureState = z.output<typeof productFeatureState>;

/** What a customer was given by hand, versioned like a feature; `value` is null when it was taken back. */
export const grantState = z.object({
  projectId: ProjectId.schema,
  customerId: CustomerId.schema,
  key: featureKey,
  value: featureValue.nullable(),
  expiresAt: timestamp.nullable(),
  version,
});
export type GrantState = z.output<typeof grantState>;

export const FeatureSaved = defineEvent('feature.saved.v1', featureState);
export const ProductFeatureSaved = defineEvent('product-feature.saved.v1', productFeatureState);
export const GrantSaved = defineEvent('grant.saved.v1', grantState);
