import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import type { MemberRole } from '@billing/contracts/resources/team';
import type { User, Users } from '#auth/sign-in.ts';
import { Member } from '#persistence/team.entity.ts';

/** A member as the API shows it. */
export interface MemberResource {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
}

interface Dependencies {
  readonly em: EntityManager;
  readonly users: Pick<Users, 'findAll'>;
}

/** Returns a page of a team's members, oldest first, and how many there are in all. */
export function listMembers({ em, users }: Dependencies) {
  return async (teamId: TeamId, { limit, offset }: Page): Promise<[MemberResource[], number]> => {
    const orderBy = { createdAt: 'asc', userId: 'asc' } as const;
    const [members, total] = await em.fork().findAndCount(Member, { teamId }, { orderBy, limit, offset });
    const found = await users.findAll(members.map(({ userId }) => userId));
    const userById = new Map(found.map(user => [user.id, user]));
    const resources = members.flatMap(member => {
      const user = userById.get(member.userId);
      return user ? [toResource(member, user)] : [];
    });
    return [resources, total];
  };
}

/** Combines a member with the name and address that the user signed up with. */
export const toResource = ({ userId, role, createdAt }: Member, { email, name }: User): MemberResource => ({
  userId,
  email,
  name,
  role,
  createdAt,
});
