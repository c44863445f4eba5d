import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';
import { isLive } from '#persistence/database-clock.ts';
import { PortalSession } from '#persistence/portal-session.entity.ts';

interface Filters extends Page {
  readonly customerId?: CustomerId | undefined;
}

/** Returns a page of the project's sessions whose links work now, newest first. */
export function listSessions({ em }: { readonly em: EntityManager }) {
  return async (
    { teamId, projectId }: ProjectScope,
    { customerId, limit, offset }: Filters,
  ): Promise<{ sessions: PortalSession[]; pagination: Pagination }> => {
    const page = { limit, offset };
    const [sessions, total] = await em
      .fork()
      .findAndCount(
        PortalSession,
        { teamId, projectId, ...(customerId && { customerId }), ...isLive() },
        { ...page, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
      );
    return { sessions, pagination: paginate(page, sessions.length, total) };
  };
}
