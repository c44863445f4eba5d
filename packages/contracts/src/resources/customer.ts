import { z } from 'zod';
import { CustomerId, ProjectId, TestClockId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { metadata, replacedMetadata, storedMetadata } from '../metadata.ts';
import { email, emailAsGiven, text, wantedEmail } from '../text.ts';
import { createdAt, updatedAt } from '../timestamp.ts';

const example = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  externalId: 'user-815',
  metadata: { accountId: '4711' },
};

export const customer = z
  .object({
    id: CustomerId.schema,
    email: z
      .string()
      .nullable()
      .describe('Null for a customer without an e-mail, as only a sync finds them at the payment processor.'),
    name: z.string().optional().describe('Absent when it has none.'),
    externalId: z.string().optional().describe('Your own id of the customer; absent when it has none.'),
    processorCustomerId: z.string().describe('The id of the customer at the payment processor.'),
    metadata: storedMetadata,
    testClockId: TestClockId.schema
      .optional()
      .describe('The test clock in whose time it is billed; absent when it lives in real time.'),
    projectId: ProjectId.schema,
    createdAt,
    updatedAt,
  })
  .meta({
    id: 'Customer',
    description: 'A customer of a project.',
    example: { ...example, processorCustomerId: 'cus_U2bR1mXq7PzT4s' },
  });
export type Customer = z.output<typeof customer>;

const name = text(256);
const externalId = text(255);
const UNIQUE_EMAIL = 'Unique in the project, ignoring case.';
const UNIQUE_ID = 'Your own id of the customer, unique in the project';

/** The e-mail keeps its spelling: the processor may have a customer under just that one. */
export const customerCreate = z
  .strictObject({
    email: emailAsGiven.describe(UNIQUE_EMAIL),
    name: optional(name).describe('The full name, as on invoices.'),
    externalId: optional(externalId).describe(`${UNIQUE_ID}.`),
    metadata: withDefault(metadata, {}),
    testClockId: optional(TestClockId.schema).describe(
      'The test clock in whose time it is billed: it is new at the payment processor, too. Only in test mode.',
    ),
  })
  .meta({ id: 'CustomerCreate', description: 'A customer to create.', example });

export const customerUpdate = z
  .strictObject({
    email: email.describe(UNIQUE_EMAIL),
    name: name.nullable().describe('Null clears it.'),
    externalId: externalId.nullable().describe(`${UNIQUE_ID}; null clears it.`),
    metadata: replacedMetadata,
  })
  .partial()
  .meta({ id: 'CustomerUpdate', description: 'The fields of a customer to change.', example: { name: 'Ada King' } });

/** Selects customers; an e-mail in any case. */
export const customerFilter = z.object({
  email: wantedEmail.optional().describe('Only the customer with this email address, in any case.'),
  externalId: externalId.optional().describe('Only the customer with this external id.'),
});

const MAX_IDS = 100;

/** Customer ids with commas between them. */
export const customerIds = z
  .codec(z.string(), z.array(CustomerId.schema).min(1).max(MAX_IDS), {
    // The schema of the result checks each of them.
    decode: list => list.split(',') as CustomerId[],
    encode: ids => ids.join(','),
  })
  .optional()
  .describe(`Only customers with one of these ids, up to ${MAX_IDS} of them with commas between them.`);

export const customerSearch = text(256)
  .optional()
  .describe(
    'Only customers whose email, name or external id contains this text, in any case; begins with it, if it is shorter than 3 characters.',
  );
