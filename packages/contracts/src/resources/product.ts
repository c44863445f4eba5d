import { z } from 'zod';
import { ProductId, ProjectId } from '../ids.ts';
import { metadata, storedMetadata } from '../metadata.ts';
import { optionalText, text } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const product = z.object({
  id: ProductId.schema,
  name: z.string(),
  description: z.string().optional(),
  isActive: z.boolean(),
  processorProductId: z.string(),
  metadata: storedMetadata,
  projectId: ProjectId.schema,
  createdAt: timestamp,
});
export type Product = z.output<typeof product>;

export const productCreate = z.strictObject({
  name: text(250),
  description: optionalText(5_000).optional(),
  metadata: metadata.default({}),
});

export const productUpdate = z
  .strictObject({ name: text(250), description: optionalText(5_000), isActive: z.boolean(), metadata })
  .partial();
