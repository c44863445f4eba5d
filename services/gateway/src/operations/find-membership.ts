import type { EntityManager } from '@mikro-orm/postgresql';
import { MEMBER_ROLES, type MemberRole } from '@billing/contracts/resources/team';
import { z } from 'zod';
import type { NamedTenant } from '#domain/access.ts';

/** A user's standing in a team, and whether the project named beside it is one of the team's. */
export interface Membership {
  readonly role: MemberRole;
  readonly hasProject: boolean;
}

const row = z.object({ role: z.enum(MEMBER_ROLES), has_project: z.boolean() });

/** Looks both up in one question; undefined for who is no member. */
export function findMembership(em: EntityManager) {
  return async (userId: string, { teamId, projectId }: NamedTenant): Promise<Membership | undefined> => {
    if (teamId === undefined) return undefined;
    const [found] = await em.fork().execute<unknown[]>(
      `select m.role, exists (select from projects p where p.id = ? and p.team_id = m.team_id) as has_project
         from members m where m.team_id = ? and m.user_id = ?`,
      [projectId ?? '', teamId, userId],
    );
    if (found === undefined) return undefined;
    const { role, has_project: hasProject } = row.parse(found);
    return { role, hasProject };
  };
}
