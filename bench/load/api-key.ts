import { ApiKeyId } from '@billing/contracts/ids';
import { findServers } from '@billing/local-system/running-system';
import { randomSecret, storedParts } from '../../services/gateway/src/domain/api-key-secret.ts';
import { connectTo } from '../database.ts';
import type { Tenant } from '../tenant.ts';

const SCOPES = ['customers:read', 'subscriptions:read', 'analytics:read', 'webhooks:read', 'entitlements:read'];

/** Creates an API key for requests that do not go through the client, and returns its secret. */
export async function newApiKey(dataDir: string, { teamId, projectId }: Tenant): Promise<string> {
  await using database = await connectTo(findServers(dataDir, 'gateway').databaseUrl);
  const secret = randomSecret('test');
  const { prefix, last4, secretHash } = storedParts(secret);
  await database.query(
    `insert into gateway.api_keys
       (id, team_id, project_id, name, scopes, prefix, last4, secret_hash, created_by, created_at)
     values ($1, $2, $3, 'bench', $4, $5, $6, $7, 'bench', now())`,
    [ApiKeyId.create(), teamId, projectId, SCOPES, prefix, last4, secretHash],
  );
  return secret;
}
