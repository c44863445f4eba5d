import { z } from 'zod';
import { ApiKeyId, EXAMPLE_USER_ID, ProjectId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { scope } from '../scopes.ts';
import { text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';

const scopes = z.array(scope).meta({
  description: 'What the key allows. Each scope grants exactly its own name, so `write` does not include `read`.',
  example: ['customers:write', 'subscriptions:write'],
});

/** An API key without its secret. */
export const apiKey = z
  .object({
    id: ApiKeyId.schema,
    name: z.string().meta({ description: 'The name that its creator gave it.', example: 'backend' }),
    scopes,
    prefix: z.string().meta({ description: 'The start of the secret, which names its mode.', example: 'bil_test_' }),
    last4: z.string().meta({ description: 'The last four characters of the secret.', example: '0aXr' }),
    expiresAt: timestamp.nullable().describe('Null when the key does not expire.'),
    lastUsedAt: timestamp.nullable().describe('Accurate to the minute; null when the key was never used.'),
    createdBy: z.string().meta({ description: 'The id of the user who created it.', example: EXAMPLE_USER_ID }),
    createdAt,
  })
  .meta({
    id: 'ApiKey',
    description: 'An API key of a project. The secret is returned only once, when the key is created or rotated.',
  });
export type ApiKey = z.output<typeof apiKey>;

export const teamApiKey = apiKey.extend({ projectId: ProjectId.schema }).meta({
  id: 'TeamApiKey',
  description: 'An API key of one of the team’s projects, without its secret.',
});

export const issuedKey = z.object({
  apiKey,
  /** The checksum of the example is wrong, so it is no secret. */
  secret: z.string().meta({
    description: 'The secret, which no other response contains.',
    example: 'bil_test_EXAMPLEexampleEXAMPLEexampleEXAM0aXr',
  }),
});

export const apiKeyCreate = z
  .strictObject({
    name: text(120).meta({ description: 'A name to know it by.', example: 'backend' }),
    scopes: scopes.min(1).max(50),
    expiresAt: optional(givenTime).describe('The key does not expire when this is null or absent.'),
  })
  .meta({ id: 'ApiKeyCreate', description: 'An API key to create.' });

export const apiKeyRotate = z
  .strictObject({
    overlapMs: withDefault(z.int().min(0).max(604_800_000), 0).describe(
      'How long the old secret stays valid, in milliseconds, at most seven days.',
    ),
  })
  .meta({ id: 'ApiKeyRotate', description: 'Options for rotating an API key.', example: { overlapMs: 3_600_000 } });
