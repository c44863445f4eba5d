import { z } from 'zod';
import { CustomerId, ProjectId } from '../ids.ts';
import { metadata, storedMetadata } from '../metadata.ts';
import { email, emailAsGiven, text } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const customer = z.object({
  id: CustomerId.schema,
  /** Null when the processor has none: only a sync records such a customer. */
  email: z.string().nullable(),
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

const MAX_IDS = 100;

/** Up to 100 customer ids with commas between them. */
export const customerIds = z
  .codec(z.string(), z.array(CustomerId.schema).min(1).max(MAX_IDS), {
    // The schema of the result checks each of them.
    decode: list => list.split(',') as CustomerId[],
    encode: ids => ids.join(','),
  })
  .optional();

/** A part of an e-mail address, a name or an external id, in any case. */
export const customerSearch = text(256).optional();
