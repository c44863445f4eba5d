import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Scope } from '@billing/contracts/scopes';
import { executeBound } from '@billing/database/bound-statement';

/** What a request's API key is checked by. Times are milliseconds since 1970; null: never. */
export interface StoredApiKey {
  readonly id: ApiKeyId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly scopes: readonly Scope[];
  readonly secretHash: string;
  readonly previousSecretHash: string | null;
  readonly previousExpiresAt: number | null;
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
}

const milliseconds = (column: string) => `round(date_part('epoch', ${column}) * 1000)`;

/**
 * Finds the API key with this hash of its secret, or of its secret before the last rotation; also a revoked or expired one.
 * The row is no entity: each key in use is read several times a second.
 */
export async function findApiKey(em: EntityManager, hash: string): Promise<StoredApiKey | undefined> {
  const [found] = await executeBound<StoredApiKey>(
    em,
    `select id, team_id as "teamId", project_id as "projectId", scopes, secret_hash as "secretHash",
            previous_secret_hash as "previousSecretHash", ${milliseconds('previous_expires_at')} as "previousExpiresAt",
            ${milliseconds('expires_at')} as "expiresAt", revoked_at is not null as "isRevoked"
       from api_keys
      where secret_hash = $1 or previous_secret_hash = $1`,
    [hash],
  );
  return found;
}
