import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';
import { PortalSession } from '#persistence/portal-session.entity.ts';

interface Wanted extends Page {
  readonly customerId?: CustomerId | undefined;
}

/** A page of the project's links that let somebody in now, by the database's clock, newest first. */
export async function listSessions(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { customerId, limit, offset }: Wanted,
): Promise<{ sessions: PortalSession[]; pagination: Pagination }> {
  const page = { limit, offset };
  const [sessions, total] = await em.findAndCount(
    PortalSession,
    {
      teamId,
      projectId,
      ...(customerId && { customerId }),
      revokedAt: null,
      expiresAt: { $gt: raw('clock_timestamp()') },
    },
    { ...page, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
  );
  return { sessions, pagination: paginate(page, sessions.length, total) };
}
