import { z } from 'zod';
import { ProductId, ProjectId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { metadata, replacedMetadata, storedMetadata } from '../metadata.ts';
import { optionalText, text } from '../text.ts';
import { createdAt } from '../timestamp.ts';

export const product = z
  .object({
    id: ProductId.schema,
    name: z.string().describe('The name that customers see.'),
    description: z.string().optional().describe('Absent when it has none.'),
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
      name: 'Pro',
      description: 'Everything, for one team',
      isActive: true,
      processorProductId: 'prod_U2bQ8xVd3KfL1a',
      metadata: { tier: 'pro' },
    },
  });
export type Product = z.output<typeof product>;

export const productCreate = z
  .strictObject({
    name: text(250).describe('The name that customers see.'),
    description: optional(optionalText(5_000)).describe('Customers see it at checkout.'),
    metadata: withDefault(metadata, {}),
  })
  .meta({
    id: 'ProductCreate',
    description: 'A product to create.',
    example: { name: 'Pro', description: 'Everything, for one team', metadata: { tier: 'pro' } },
  });

export const productUpdate = z
  .strictObject({
    name: text(250).describe('The name that customers see.'),
    description: optionalText(5_000)
      .nullable()
      .transform(value => value ?? '')
      .describe('Null or an empty text removes the description.'),
    isActive: z.boolean().describe('Whether it is for sale.'),
    metadata: replacedMetadata,
  })
  .partial()
  .meta({ id: 'ProductUpdate', description: 'The fields of a product to change.', example: { name: 'Pro Plus' } });
