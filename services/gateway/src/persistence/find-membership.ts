import type { EntityManager } from '@mikro-orm/postgresql';
import { MEMBER_ROLES, type MemberRole } from '@billing/contracts/resources/team';
import { z } from 'zod';
import type { PathTenant } from '#domain/access.ts';

/** A user's role in a team, and whether the project in the path belongs to the team. */
export interface Membership {
  readonly role: MemberRole;
  readonly hasProject: boolean;
}

const row = z.object({ role: z.enum(MEMBER_ROLES), has_project: z.boolean() });

/** Finds both in one query; returns undefined when the user is not a member. */
export function findMembership(em: EntityManager) {
  return async (userId: string, { teamId, projectId }: PathTenant): Promise<Membership | undefined> => {
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
