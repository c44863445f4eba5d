import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectScope } from '@billing/contracts/ids';
import { lockApiKey } from '#persistence/lock-api-key.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/**
 * Revokes a key permanently. Every copy of the gateway rejects it within a second, because copies cache a key for
 * half a second at most; no event is needed.
 * @throws Problem 404 `api_key_not_found`
 */
export function revokeApiKey({ em, now }: Dependencies) {
  return (scope: ProjectScope, keyId: ApiKeyId): Promise<void> =>
    em.fork().transactional(async tx => {
      const apiKey = await lockApiKey(tx, scope, keyId);
      apiKey.revokedAt = now();
    });
}
