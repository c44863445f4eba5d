import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectScope } from '@billing/contracts/ids';
import { storedParts, type KeySecrets } from '#domain/api-key-secret.ts';
import { lockApiKey } from '#persistence/lock-api-key.ts';
import { withSecret, type IssuedKey } from './issued-key.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly secrets: Pick<KeySecrets, 'issue'>;
  readonly now: () => Date;
}

/**
 * Gives a key a new secret. The previous secret stays valid for `overlapMs` milliseconds, older ones do not.
 * The same `operationKey` rotates once and returns the same secret.
 * @throws Problem 404 `api_key_not_found`
 */
export function rotateApiKey({ em, secrets, now }: Dependencies) {
  return (scope: ProjectScope, keyId: ApiKeyId, overlapMs: number, operationKey?: string): Promise<IssuedKey> =>
    em.fork().transactional(async tx => {
      const apiKey = await lockApiKey(tx, scope, keyId);
      const secret = secrets.issue(operationKey);
      const parts = storedParts(secret);
      if ([apiKey.secretHash, apiKey.previousSecretHash].includes(parts.secretHash)) return withSecret(apiKey, secret);
      apiKey.previousSecretHash = overlapMs > 0 ? apiKey.secretHash : null;
      apiKey.previousExpiresAt = overlapMs > 0 ? new Date(now().getTime() + overlapMs) : null;
      Object.assign(apiKey, parts);
      return withSecret(apiKey, secret);
    });
}
