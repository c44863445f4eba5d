import { z } from 'zod';
import { ApiKeyId, ProjectId } from '../ids.ts';
import { scope } from '../scopes.ts';
import { text } from '../text.ts';
import { timestamp } from '../timestamp.ts';

/** An API key without its secret. */
export const apiKey = z.object({
  id: ApiKeyId.schema,
  name: z.string(),
  scopes: z.array(scope),
  prefix: z.string(),
  last4: z.string(),
  expiresAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  createdAt: timestamp,
});
export type ApiKey = z.output<typeof apiKey>;

/** An API key of any project of a team. */
export const teamApiKey = apiKey.extend({ projectId: ProjectId.schema });

export const apiKeyCreate = z.strictObject({
  name: text(120),
  scopes: z.array(scope).min(1).max(50),
  expiresAt: timestamp.optional(),
});

/** `overlapMs`: how long the old secret stays valid, up to seven days. */
export const apiKeyRotate = z.strictObject({ overlapMs: z.int().min(0).max(604_800_000).default(0) });
