import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ApiKeyRevoked } from '@billing/contracts/events/gateway';
import { ApiKeyId, type ProjectScope } from '@billing/contracts/ids';
import { invalid, notFound } from '@billing/contracts/problem';
import type { Scope } from '@billing/contracts/scopes';
import { record } from '@billing/messaging/outbox';
import type { apiKey } from '@billing/contracts/resources/api-key';
import type { z } from 'zod';
import { hashSecret } from '#domain/api-key-secret.ts';
import { idOfOperation } from '#domain/operation-id.ts';
import { ApiKey } from '#persistence/api-key.entity.ts';
import { makeOnce } from './make-once.ts';
import type { KeySecrets } from './key-secrets.ts';

/** A key with its secret, which is shown this once. */
export interface IssuedKey {
  readonly apiKey: z.output<typeof apiKey>;
  readonly secret: string;
}

interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date | undefined;
}

interface IssuingParts {
  readonly em: EntityManager;
  readonly secrets: KeySecrets;
  readonly now: () => Date;
}

/**
 * Creates a key of the project; the same `operationKey` creates it once, with the same secret.
 * @throws Problem 400 when it would have expired already
 */
export function createApiKey({ em, secrets, now }: IssuingParts) {
  const make = async (scope: ProjectScope, createdBy: string, details: NewKey & { id: ApiKeyId; secret: string }) => {
    const { id, secret, name, scopes, expiresAt } = details;
    const createdAt = now();
    if (expiresAt && expiresAt <= createdAt)
      throw invalid([{ path: 'expiresAt', message: 'Expected a time to come.' }]);
    const tx = em.fork();
    const made = tx.create(ApiKey, {
      ...scope,
      ...partsOf(secret),
      id,
      name,
      scopes: [...new Set(scopes)],
      previousSecretHash: null,
      previousExpiresAt: null,
      expiresAt: expiresAt ?? null,
      lastUsedAt: null,
      revokedAt: null,
      createdBy,
      createdAt,
    });
    await tx.flush();
    return made;
  };

  return async (scope: ProjectScope, createdBy: string, key: NewKey, operationKey?: string): Promise<IssuedKey> => {
    const secret = secrets.issue(operationKey);
    if (operationKey === undefined)
      return issued(await make(scope, createdBy, { ...key, id: ApiKeyId.create(), secret }), secret);
    const id = idOfOperation('key', operationKey);
    const made = await makeOnce(
      () => em.fork().findOne(ApiKey, { ...scope, id }),
      () => make(scope, createdBy, { ...key, id, secret }),
    );
    return issued(made, secret);
  };
}

/** The keys of a project that are not revoked, newest first; expired ones are among them. */
export function listApiKeys(em: EntityManager) {
  return ({ teamId, projectId }: ProjectScope): Promise<ApiKey[]> =>
    em.fork().find(ApiKey, { teamId, projectId, revokedAt: null }, { orderBy: { createdAt: 'desc', id: 'asc' } });
}

/**
 * Revokes a key for good and tells of it.
 * @throws Problem 404 `api_key_not_found`
 */
export function revokeApiKey(em: EntityManager, now: () => Date) {
  return (scope: ProjectScope, keyId: ApiKeyId): Promise<void> =>
    em.fork().transactional(async tx => {
      const apiKey = await findApiKey(tx, scope, keyId);
      apiKey.revokedAt = now();
      record(tx, ApiKeyRevoked, scope.teamId, { keyId, projectId: scope.projectId });
    });
}

/**
 * Gives a key a new secret. The secret before it stays valid for `overlapMs`; one from a rotation before that does not.
 * The same `operationKey` rotates once, and answers the same secret.
 * @throws Problem 404 `api_key_not_found`
 */
export function rotateApiKey({ em, secrets, now }: IssuingParts) {
  return (scope: ProjectScope, keyId: ApiKeyId, overlapMs: number, operationKey?: string): Promise<IssuedKey> =>
    em.fork().transactional(async tx => {
      const key = await findApiKey(tx, scope, keyId);
      const secret = secrets.issue(operationKey);
      const { secretHash } = partsOf(secret);
      if (key.secretHash === secretHash || key.previousSecretHash === secretHash) return issued(key, secret);
      key.previousSecretHash = overlapMs > 0 ? key.secretHash : null;
      key.previousExpiresAt = overlapMs > 0 ? new Date(now().getTime() + overlapMs) : null;
      Object.assign(key, partsOf(secret));
      return issued(key, secret);
    });
}

/** Locks the key, so that rotations of one key happen one after the other. */
function findApiKey(tx: EntityManager, { teamId, projectId }: ProjectScope, id: ApiKeyId): Promise<ApiKey> {
  return tx.findOneOrFail(
    ApiKey,
    { id, teamId, projectId, revokedAt: null },
    { failHandler: () => notFound('api_key'), lockMode: LockMode.PESSIMISTIC_WRITE },
  );
}

const partsOf = (secret: string) => ({
  secretHash: hashSecret(secret),
  prefix: secret.slice(0, 'bil_test_'.length),
  last4: secret.slice(-4),
});

/** A key as it is shown when one of its secrets is given out. */
function issued({ id, name, scopes, expiresAt, lastUsedAt, createdAt }: ApiKey, secret: string): IssuedKey {
  const { prefix, last4 } = partsOf(secret);
  return { apiKey: { id, name, scopes, prefix, last4, expiresAt, lastUsedAt, createdAt }, secret };
}
