import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKeyId, type ProjectScope, type TeamId } from '@billing/contracts/ids';
import type { apiKey } from '@billing/contracts/resources/api-key';
import type { z } from 'zod';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { findNewest } from '@billing/database/find-newest';
import { inTransaction } from '@billing/database/transaction';
import { invalid } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Scope } from '@billing/contracts/scopes';
import { derivedId } from '@billing/service/derived-id';
import { changesOf } from '@billing/service/audit';
import { hashSecret, KEY_MODES, modeOfNewKeys, storedParts, type KeyMode } from '#domain/api-key-secret.ts';
import { ApiKey, Team } from '#persistence/entities.ts';
import { requireRoom } from '#domain/quotas.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockApiKey, lockProject, requireMembership } from '#persistence/locks.ts';
import { createOnce } from './create-once.ts';
import type { OperationDependencies } from './dependencies.ts';

/** An API key with its secret, which no other response contains. */
interface IssuedKey {
  readonly apiKey: z.output<typeof apiKey>;
  readonly secret: string;
}

/** Combines a key with one of its secrets. */
function withSecret(
  { id, name, scopes, expiresAt, lastUsedAt, createdBy, createdAt }: ApiKey,
  secret: string,
): IssuedKey {
  const { prefix, last4 } = storedParts(secret);
  return { apiKey: { id, name, scopes, prefix, last4, expiresAt, lastUsedAt, createdBy, createdAt }, secret };
}

/** Returns the mode of the keys that a team gets now. */
async function findKeyMode(tx: EntityManager, teamId: TeamId, installation: KeyMode): Promise<KeyMode> {
  const { accountLivemode } = await tx.findOneOrFail(Team, { id: teamId });
  return modeOfNewKeys(accountLivemode, installation);
}

/** Lists a page of the keys of a project that are not revoked, expired ones included, newest first, and how many there are in all. */
export function listApiKeys({ em }: OperationDependencies) {
  return ({ teamId, projectId }: ProjectScope, page: Page): Promise<[ApiKey[], Pagination]> =>
    findNewest(em.fork(), ApiKey, { teamId, projectId, revokedAt: null }, page);
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
export function createApiKey({ em, secrets, keyMode, quotas, now }: OperationDependencies) {
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

/**
 * Gives a key a new secret. The previous secret stays valid for `overlapMs` milliseconds, older ones do not.
 * The new secret is of the mode that new keys have. The same `operationKey` rotates once and returns the same secret.
 * @throws Problem 404 `api_key_not_found`, 403 when the user is no member any more
 */
export function rotateApiKey({ em, secrets, keyMode, now }: OperationDependencies) {
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

/**
 * Revokes a key permanently. Every copy of the gateway rejects it within a second, because copies cache a key for
 * half a second at most; no event is needed.
 * @throws Problem 404 `api_key_not_found`
 */
export function revokeApiKey({ em, now }: OperationDependencies) {
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
