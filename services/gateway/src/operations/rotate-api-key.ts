import type { EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';
import type { ApiKeyId, ProjectScope } from '@billing/contracts/ids';
import { hashSecret, KEY_MODES, storedParts, type KeyMode, type KeySecrets } from '#domain/api-key-secret.ts';
import type { ApiKey } from '#persistence/api-key.entity.ts';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { changesOf } from '@billing/service/audit';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockApiKey, requireMembership } from '#persistence/locks.ts';
import { findKeyMode, withSecret, type IssuedKey } from './issued-key.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly secrets: Pick<KeySecrets, 'issue'>;
  /** Of new secrets in teams without a processor account. */
  readonly keyMode: KeyMode;
  readonly now: () => Date;
}

/**
 * Gives a key a new secret. The previous secret stays valid for `overlapMs` milliseconds, older ones do not.
 * The new secret is of the mode that new keys have. The same `operationKey` rotates once and returns the same secret.
 * @throws Problem 404 `api_key_not_found`, 403 when the user is no member any more
 */
export function rotateApiKey({ em, secrets, keyMode, now }: Dependencies) {
  /** Returns the secret that the operation has given the key already, in whichever mode. */
  const findIssued = (apiKey: ApiKey, operationKey: string): string | undefined =>
    KEY_MODES.map(mode => secrets.issue(mode, operationKey)).find(secret =>
      [apiKey.secretHash, apiKey.previousSecretHash].includes(hashSecret(secret)),
    );

  return (
    scope: ProjectScope,
    keyId: ApiKeyId,
    { userId, overlapMs }: { readonly userId: string; readonly overlapMs: number },
    context: AuditContext,
    operationKey?: string,
  ): Promise<IssuedKey> =>
    inTransaction(em, async tx => {
      await requireMembership(tx, scope.teamId, userId);
      const apiKey = await lockApiKey(tx, scope, keyId);
      const issued = operationKey === undefined ? undefined : findIssued(apiKey, operationKey);
      if (issued !== undefined) return withSecret(apiKey, issued);
      const secret = secrets.issue(await findKeyMode(tx, scope.teamId, keyMode), operationKey);
      await audit(tx, scope.teamId, context, {
        target: { type: 'api_key', id: keyId },
        changes: changesOf(null, { secret, overlapMs }, ['secret']),
      });
      apiKey.previousSecretHash = overlapMs > 0 ? apiKey.secretHash : null;
      apiKey.previousExpiresAt = overlapMs > 0 ? new Date(now().getTime() + overlapMs) : null;
      Object.assign(apiKey, storedParts(secret), { rotatedBy: userId });
      return withSecret(apiKey, secret);
    });
}
