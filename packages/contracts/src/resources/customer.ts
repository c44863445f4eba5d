import { z } from 'zod';
import { CustomerId, ProjectId } from '../ids.ts';
import { metadata, storedMetadata } from '../metadata.ts';
import { email, text } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const customer = z.object({
  id: CustomerId.schema,
  email: z.string(),
  name: z.string().optional(),
  processorCustomerId: z.string(),
  metadata: storedMetadata,
  projectId: ProjectId.schema,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Customer = z.output<typeof customer>;

export const customerCreate = z.strictObject({
  email,
  name: text(256).optional(),
  metadata: metadata.default({}),
});

/** `metadata` is replaced as a whole. */
export const customerUpdate = z.strictObject({ email, name: text(256), metadata }).partial();
