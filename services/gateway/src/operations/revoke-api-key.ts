import type { EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';
import type { ApiKeyId, ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { changesOf } from '@billing/service/audit';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockApiKey } from '#persistence/locks.ts';

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
  return (scope: ProjectScope, keyId: ApiKeyId, context: AuditContext): Promise<void> =>
    inTransaction(em, async tx => {
      const apiKey = await lockApiKey(tx, scope, keyId);
      const revokedAt = now();
      apiKey.revokedAt = revokedAt;
      await audit(tx, scope.teamId, context, {
        target: { type: 'api_key', id: keyId },
        changes: changesOf(null, { revokedAt }),
      });
    });
}
