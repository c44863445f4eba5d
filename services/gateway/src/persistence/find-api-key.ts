import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Scope } from '@billing/contracts/scopes';
import { executeBound, textArray } from '@billing/database/bound-statement';

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
  readonly accountLivemode: boolean | null;
}

const milliseconds = (column: string) => `round(date_part('epoch', ${column}) * 1000)`;

/**
 * Finds the API keys with these hashes of their secrets, or of their secrets before the last rotation; also revoked and
 * expired ones. Returns one for each hash, in order; null: unknown. The rows are no entities: each key in use is read
 * several times a second.
 */
export async function findApiKeys(
  em: EntityManager,
  hashes: readonly string[],
): Promise<readonly (StoredApiKey | null)[]> {
  const rows = await executeBound<StoredApiKey>(
    em,
    `select k.id, team_id as "teamId", project_id as "projectId", scopes, secret_hash as "secretHash",
            previous_secret_hash as "previousSecretHash", ${milliseconds('previous_expires_at')} as "previousExpiresAt",
            ${milliseconds('expires_at')} as "expiresAt", revoked_at is not null as "isRevoked",
            t.account_livemode as "accountLivemode"
       from api_keys k join teams t on t.id = k.team_id
      where secret_hash = any($1::text[]) or previous_secret_hash = any($1::text[])`,
    [textArray(hashes)],
  );
  const byHash = new Map(rows.flatMap(row => [row.previousSecretHash, row.secretHash].map(hash => [hash, row])));
  return hashes.map(hash => byHash.get(hash) ?? null);
}
