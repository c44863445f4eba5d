import type { EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';
import { ApiKeyId, type ProjectScope } from '@billing/contracts/ids';
import { invalid } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Scope } from '@billing/contracts/scopes';
import { derivedId } from '@billing/service/derived-id';
import { storedParts, type KeyMode, type KeySecrets } from '#domain/api-key-secret.ts';
import { changesOf } from '@billing/service/audit';
import { requireRoom, type Quotas } from '#domain/quotas.ts';
import { ApiKey } from '#persistence/api-key.entity.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockProject, requireMembership } from '#persistence/locks.ts';
import { createOnce } from './create-once.ts';
import { findKeyMode, withSecret, type IssuedKey } from './issued-key.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly secrets: KeySecrets;
  /** Of new keys in teams without a processor account. */
  readonly keyMode: KeyMode;
  readonly quotas: Quotas;
  readonly now: () => Date;
}

interface KeyDetails {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date | undefined;
}

/**
 * Creates an API key of the project; the same `operationKey` creates one key and returns the same secret.
 * @throws Problem 400 when `expiresAt` is in the past, 422 `quota_exceeded`, 403 when the creator is no member any more,
 *   409 `secret_not_repeatable`
 */
export function createApiKey({ em, secrets, keyMode, quotas, now }: Dependencies) {
  function insert(
    scope: ProjectScope,
    createdBy: string,
    { name, scopes, expiresAt }: KeyDetails,
    { id, operationKey }: { readonly id: ApiKeyId; readonly operationKey?: string },
    context: AuditContext,
  ): Promise<IssuedKey> {
    const createdAt = now();
    if (expiresAt && expiresAt <= createdAt)
      throw invalid([{ path: 'expiresAt', message: 'Expected a time in the future.' }]);
    return inTransaction(em, async tx => {
      await requireMembership(tx, scope.teamId, createdBy);
      await lockProject(tx, scope);
      const live = { ...scope, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: createdAt } }] };
      requireRoom(quotas, 'keys', await tx.count(ApiKey, live));
      const secret = secrets.issue(await findKeyMode(tx, scope.teamId, keyMode), operationKey);
      await audit(tx, scope.teamId, context, {
        target: { type: 'api_key', id },
        changes: changesOf(null, { name, scopes, expiresAt, secret }, ['secret']),
      });
      const apiKey = tx.create(ApiKey, {
        ...scope,
        ...storedParts(secret),
        id,
        name,
        scopes: [...new Set(scopes)],
        previousSecretHash: null,
        previousExpiresAt: null,
        expiresAt: expiresAt ?? null,
        lastUsedAt: null,
        revokedAt: null,
        createdBy,
        rotatedBy: null,
        createdAt,
      });
      return withSecret(apiKey, secret);
    });
  }

  async function findIssued(scope: ProjectScope, id: ApiKeyId, operationKey: string): Promise<IssuedKey | null> {
    const apiKey = await em.fork().findOne(ApiKey, { ...scope, id });
    return apiKey && withSecret(apiKey, secrets.reissue(operationKey, apiKey));
  }

  return async (
    scope: ProjectScope,
    createdBy: string,
    details: KeyDetails,
    context: AuditContext,
    operationKey?: string,
  ): Promise<IssuedKey> => {
    if (operationKey === undefined) return insert(scope, createdBy, details, { id: ApiKeyId.create() }, context);
    const id = derivedId(ApiKeyId, operationKey, 'api-key');
    return createOnce(
      () => findIssued(scope, id, operationKey),
      () => insert(scope, createdBy, details, { id, operationKey }, context),
    );
  };
}
