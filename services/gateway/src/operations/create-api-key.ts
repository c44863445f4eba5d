import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKeyId, type ProjectScope } from '@billing/contracts/ids';
import { invalid } from '@billing/contracts/problem';
import type { Scope } from '@billing/contracts/scopes';
import { storedParts, type KeySecrets } from '#domain/api-key-secret.ts';
import { ApiKey } from '#persistence/api-key.entity.ts';
import { createOnce, idFromOperationKey } from './create-once.ts';
import { withSecret, type IssuedKey } from './issued-key.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly secrets: Pick<KeySecrets, 'issue'>;
  readonly now: () => Date;
}

interface KeyDetails {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date | undefined;
}

/**
 * Creates an API key of the project; the same `operationKey` creates one key and returns the same secret.
 * @throws Problem 400 when `expiresAt` is in the past
 */
export function createApiKey({ em, secrets, now }: Dependencies) {
  async function insert(
    scope: ProjectScope,
    createdBy: string,
    { id, secret, name, scopes, expiresAt }: KeyDetails & { readonly id: ApiKeyId; readonly secret: string },
  ): Promise<ApiKey> {
    const createdAt = now();
    if (expiresAt && expiresAt <= createdAt)
      throw invalid([{ path: 'expiresAt', message: 'Expected a time in the future.' }]);
    const tx = em.fork();
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
      createdAt,
    });
    await tx.flush();
    return apiKey;
  }

  return async (
    scope: ProjectScope,
    createdBy: string,
    details: KeyDetails,
    operationKey?: string,
  ): Promise<IssuedKey> => {
    const secret = secrets.issue(operationKey);
    if (operationKey === undefined)
      return withSecret(await insert(scope, createdBy, { ...details, id: ApiKeyId.create(), secret }), secret);
    const id = idFromOperationKey('key', operationKey);
    const apiKey = await createOnce(
      () => em.fork().findOne(ApiKey, { ...scope, id }),
      () => insert(scope, createdBy, { ...details, id, secret }),
    );
    return withSecret(apiKey, secret);
  };
}
