import { z } from 'zod';
import { ProductId, ProjectId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { metadata, replacedMetadata, storedMetadata } from '../metadata.ts';
import { optionalText, text } from '../text.ts';
import { createdAt } from '../timestamp.ts';
import { catalogKey, catalogKeyOnce, shownCatalogKey } from './catalog-key.ts';

/** The texts of a product that the payment processor has too, as we store them: null for none. */
export const productTexts = z.object({
  name: z.string(),
  description: z.string().nullable(),
  unitLabel: z.string().nullable(),
  taxCode: z.string().nullable(),
});
export type ProductTexts = z.output<typeof productTexts>;

/** Texts of a product to change: null removes one. */
export type ProductTextChanges = z.output<ReturnType<typeof productTexts.partial>>;

/** Returns the texts of a product, without its other fields. */
export const textsOf = ({ name, description, unitLabel, taxCode }: ProductTexts): ProductTexts => ({
  name,
  description,
  unitLabel,
  taxCode,
});

export const product = z
  .object({
    id: ProductId.schema,
    key: shownCatalogKey,
    name: z.string().describe('The name that customers see.'),
    description: z.string().optional().describe('Absent when it has none.'),
    unitLabel: z
      .string()
      .optional()
      .describe('The unit that customers see at checkout and on invoices; absent when it has none.'),
    taxCode: z
      .string()
      .optional()
      .describe('What it is for the tax that Stripe computes; absent when the default of the account counts.'),
    isActive: z.boolean().describe('Whether it is for sale; false once it is archived.'),
    processorProductId: z.string().describe('The id of the product at the payment processor.'),
    metadata: storedMetadata,
    projectId: ProjectId.schema,
    createdAt,
  })
  .meta({
    id: 'Product',
    description: 'A product for sale.',
    example: {
      key: 'pro',
      name: 'Pro',
      description: 'Everything, for one team',
      unitLabel: 'seat',
      taxCode: 'txcd_10103001',
      isActive: true,
      processorProductId: 'prod_U2bQ8xVd3KfL1a',
      metadata: { tier: 'pro' },
    },
  });
export type Product = z.output<typeof product>;

/** A text that a product may lack, when it is created and when it is changed: null, or an empty one, for none. */
const createdText = (schema: z.ZodString) => schema.nullish().transform(it => it || null);
const changedText = (schema: z.ZodString) => schema.nullable().transform(it => it || null);

/** An id of the processor, or an empty text. https://docs.stripe.com/tax/tax-codes */
const taxCode = optionalText(50).regex(/^(txcd_\w+)?$/, 'Expected a tax code, such as txcd_10103001.');

export const productCreate = z
  .strictObject({
    key: optional(catalogKey),
    name: text(250).describe('The name that customers see.'),
    description: createdText(optionalText(5_000)).describe('Customers see it at checkout.'),
    unitLabel: createdText(optionalText(12)).describe('The unit that customers see at checkout and on invoices.'),
    taxCode: createdText(taxCode).describe('What it is for the tax that Stripe computes: one of its tax codes.'),
    metadata: withDefault(metadata, {}),
  })
  .meta({
    id: 'ProductCreate',
    description: 'A product to create.',
    example: {
      name: 'Pro',
      description: 'Everything, for one team',
      unitLabel: 'seat',
      taxCode: 'txcd_10103001',
      metadata: { tier: 'pro' },
    },
  });

export const productUpdate = z
  .strictObject({
    key: catalogKeyOnce,
    name: text(250).describe('The name that customers see.'),
    description: changedText(optionalText(5_000)).describe('Null or an empty text removes the description.'),
    unitLabel: changedText(optionalText(12)).describe(
      'The unit that customers see at checkout and on invoices. Null or an empty text removes it.',
    ),
    taxCode: changedText(taxCode).describe(
      'What it is for the tax that Stripe computes: one of its tax codes. Null or an empty text removes it.',
    ),
    isActive: z.boolean().describe('Whether it is for sale.'),
    metadata: replacedMetadata,
  })
  .partial()
  .meta({ id: 'ProductUpdate', description: 'The fields of a product to change.', example: { name: 'Pro Plus' } });
