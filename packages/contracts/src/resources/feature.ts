import { z } from 'zod';
import { FeatureId, PriceId, ProductId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { optionalText, text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';

export const FEATURE_TYPES = ['boolean', 'limit', 'value'] as const;
export type FeatureType = (typeof FEATURE_TYPES)[number];

const MAX_LIMIT = 1_000_000_000_000;
const MAX_VALUES = 50;
const MAX_NAME = 250;
const MAX_VALUE = 100;

/** The key of a feature, by which products check it. */
export const featureKey = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,79}$/,
    'Expected 1 to 80 characters of a-z, 0-9, ".", "_" and "-", of which the first is a letter or digit.',
  )
  .meta({ description: 'The key by which your product checks it; unique in the project.', example: 'seats' });

/** What a feature gives: a boolean, a limit, or one of the feature's values. */
export const featureValue = z
  .union([z.boolean(), z.int().min(0).max(MAX_LIMIT), text(MAX_VALUE)], {
    error: 'Expected true or false, a whole number or "unlimited", or one of `values`, by the type of the feature.',
  })
  .meta({
    description: 'True or false, a limit or `unlimited`, or one of `values`, by the type of the feature.',
    example: 5,
  });
export type FeatureValue = z.output<typeof featureValue>;

const values = z
  .array(text(MAX_VALUE))
  .min(1)
  .max(MAX_VALUES)
  .refine(all => new Set(all).size === all.length, 'Contains a value twice.')
  .meta({ description: 'For the type `value`: what it may be, ascending.', example: ['basic', 'priority'] });
const merge = z
  .enum(['max', 'sum'])
  .describe('For the type `limit`: whether the highest of several sources counts, or their sum.');
const name = text(MAX_NAME).meta({ description: 'For people.', example: 'Seats' });

export const feature = z
  .object({
    id: FeatureId.schema,
    key: featureKey,
    name,
    type: z.enum(FEATURE_TYPES).describe('What its values are.'),
    values: values
      .readonly()
      .nullable()
      .describe('For the type `value`: what it may be, ascending. Null for the others.'),
    merge: merge
      .nullable()
      .describe(
        'For the type `limit`: whether the highest of several sources counts, or their sum. Null for the others.',
      ),
    isActive: z.boolean().describe('An inactive one grants nothing.'),
    createdAt,
  })
  .meta({
    id: 'Feature',
    description: 'Something that products give, and that your product checks.',
    example: { type: 'limit', values: null, merge: 'max', isActive: true },
  });
export type Feature = z.output<typeof feature>;

export const featureCreate = z
  .strictObject({
    key: featureKey,
    name,
    type: z.enum(FEATURE_TYPES).describe('What its values are.'),
    values: optional(values),
    merge: optional(merge),
  })
  .refine(it => (it.type === 'value') === (it.values !== undefined), {
    path: ['values'],
    message: 'Expected for the type `value`, and for no other.',
  })
  .refine(it => it.merge === undefined || it.type === 'limit', {
    path: ['merge'],
    message: 'Only for the type `limit`.',
  })
  .meta({ id: 'FeatureCreate', description: 'A feature to create.', example: { type: 'limit', merge: 'max' } });

export const featureUpdate = z
  .strictObject({ name, isActive: z.boolean().describe('False: it grants nothing until it is active again.') })
  .partial()
  .meta({ id: 'FeatureUpdate', description: 'The fields of a feature to change.', example: { isActive: false } });

const per = z
  .enum(['subscription', 'quantity'])
  .describe('`quantity` multiplies a limit by the quantity that is subscribed to.');

export const productFeature = z
  .object({
    key: featureKey,
    value: featureValue.describe('What it gives.'),
    per,
    productId: ProductId.schema.nullable().describe('The product that gives it; null when a price does.'),
    priceId: PriceId.schema.nullable().describe('The price that gives it, instead of what its product gives.'),
  })
  .meta({
    id: 'ProductFeature',
    description: 'What a product or a price gives of a feature.',
    example: { per: 'quantity', priceId: null },
  });
export type ProductFeature = z.output<typeof productFeature>;

export const productFeatureSet = z
  .strictObject({ value: featureValue, per: withDefault(per, 'subscription') })
  .meta({ id: 'ProductFeatureSet', description: 'What to give.', example: { value: 5, per: 'quantity' } });

const MAX_NOTE = 500;
const EXPIRES_AT = 'When it ends; null when it does not by itself.';
const note = optionalText(MAX_NOTE).nullable().describe('Why it was given, for people.');

export const grant = z
  .object({
    key: featureKey,
    value: featureValue.describe('What it gives.'),
    expiresAt: timestamp.nullable().describe(EXPIRES_AT),
    note,
  })
  .meta({ id: 'Grant', description: 'A feature that was given to one customer.', example: { note: null } });
export type Grant = z.output<typeof grant>;

export const grantSet = z
  .strictObject({
    value: featureValue,
    expiresAt: withDefault(givenTime.nullable().describe(EXPIRES_AT), null),
    note: withDefault(note, null),
  })
  .meta({ id: 'GrantSet', description: 'What to give.', example: { value: 10, note: 'For the migration' } });
