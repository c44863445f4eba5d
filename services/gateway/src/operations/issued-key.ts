import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { apiKey } from '@billing/contracts/resources/api-key';
import type { z } from 'zod';
import { modeOfNewKeys, storedParts, type KeyMode } from '#domain/api-key-secret.ts';
import type { ApiKey } from '#persistence/api-key.entity.ts';
import { Team } from '#persistence/team.entity.ts';

/** An API key with its secret, which no other response contains. */
export interface IssuedKey {
  readonly apiKey: z.output<typeof apiKey>;
  readonly secret: string;
}

/** Combines a key with one of its secrets. */
export function withSecret({ id, name, scopes, expiresAt, lastUsedAt, createdAt }: ApiKey, secret: string): IssuedKey {
  const { prefix, last4 } = storedParts(secret);
  return { apiKey: { id, name, scopes, prefix, last4, expiresAt, lastUsedAt, createdAt }, secret };
}

/** Returns the mode of the keys that a team gets now. */
export async function findKeyMode(tx: EntityManager, teamId: TeamId, installation: KeyMode): Promise<KeyMode> {
  const { accountLivemode } = await tx.findOneOrFail(Team, { id: teamId });
  return modeOfNewKeys(accountLivemode, installation);
}
