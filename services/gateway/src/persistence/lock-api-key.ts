import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { ApiKey } from './api-key.entity.ts';

/**
 * Returns a key that is not revoked, and locks its row until the transaction ends: changes of one key are serial.
 * @throws Problem 404 `api_key_not_found`
 */
export function lockApiKey(tx: EntityManager, { teamId, projectId }: ProjectScope, id: ApiKeyId): Promise<ApiKey> {
  return tx.findOneOrFail(
    ApiKey,
    { id, teamId, projectId, revokedAt: null },
    { failHandler: () => notFound('api_key'), lockMode: LockMode.PESSIMISTIC_WRITE },
  );
}
