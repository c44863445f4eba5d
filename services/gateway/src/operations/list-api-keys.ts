import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { ApiKey } from '#persistence/api-key.entity.ts';

/** Returns a page of a project's keys that are not revoked, newest first, and how many there are in all; expired keys are included. */
export function listApiKeys({ em }: { readonly em: EntityManager }) {
  return ({ teamId, projectId }: ProjectScope, { limit, offset }: Page): Promise<[ApiKey[], number]> =>
    em
      .fork()
      .findAndCount(
        ApiKey,
        { teamId, projectId, revokedAt: null },
        { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
      );
}
