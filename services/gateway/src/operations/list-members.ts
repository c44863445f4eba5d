import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
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

/** Returns the members of a team, oldest first. */
export function listMembers({ em, users }: Dependencies) {
  return async (teamId: TeamId): Promise<MemberResource[]> => {
    const members = await em.fork().find(Member, { teamId }, { orderBy: { createdAt: 'asc', userId: 'asc' } });
    const found = await users.findAll(members.map(({ userId }) => userId));
    const userById = new Map(found.map(user => [user.id, user]));
    return members.flatMap(member => {
      const user = userById.get(member.userId);
      return user ? [toResource(member, user)] : [];
    });
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
