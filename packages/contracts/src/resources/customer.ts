import { z } from 'zod';
import { CustomerId, ProjectId } from '../ids.ts';
import { metadata, storedMetadata } from '../metadata.ts';
import { email, emailAsGiven, text } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const customer = z.object({
  id: CustomerId.schema,
  email: z.string(),
  name: z.string().optional(),
  externalId: z.string().optional(),
  processorCustomerId: z.string(),
  metadata: storedMetadata,
  projectId: ProjectId.schema,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Customer = z.output<typeof customer>;

const externalId = text(255);

/** The e-mail keeps its spelling: the processor may have a customer under just that one. */
export const customerCreate = z.strictObject({
  email: emailAsGiven,
  name: text(256).optional(),
  externalId: externalId.optional(),
  metadata: metadata.default({}),
});

/** Null clears a field. `metadata` is replaced as a whole. */
export const customerUpdate = z
  .strictObject({ email, name: text(256).nullable(), externalId: externalId.nullable(), metadata })
  .partial();

/** Selects customers; an e-mail in any case. */
export const customerFilter = z.object({ email, externalId }).partial();
