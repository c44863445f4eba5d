import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { ApiKey } from '#persistence/api-key.entity.ts';

/** Returns the keys of a project that are not revoked, newest first; expired keys are included. */
export function listApiKeys({ em }: { readonly em: EntityManager }) {
  return ({ teamId, projectId }: ProjectScope): Promise<ApiKey[]> =>
    em.fork().find(ApiKey, { teamId, projectId, revokedAt: null }, { orderBy: { createdAt: 'desc', id: 'asc' } });
}
