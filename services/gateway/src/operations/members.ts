import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, notFound } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';
import { isUniqueViolation } from '@billing/service/database';
import { requireOwnerAfter } from '#domain/members.ts';
import { Member, Team } from '#persistence/team.entity.ts';
import type { User, Users } from '#sign-in/users.ts';
import { makeOnce } from './make-once.ts';

/** A member with what sign-in knows of the person. */
export interface NamedMember {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
}

/** The members of a team, the first ones first. */
export function listMembers(em: EntityManager, users: Users) {
  return async (teamId: TeamId): Promise<NamedMember[]> => {
    const members = await em.fork().find(Member, { teamId }, { orderBy: { createdAt: 'asc', userId: 'asc' } });
    const known = new Map((await users.findAll(members.map(({ userId }) => userId))).map(user => [user.id, user]));
    return members.flatMap(member => {
      const user = known.get(member.userId);
      return user ? [named(member, user)] : [];
    });
  };
}

/**
 * Makes an existing user a member; the same `operationKey` does so once.
 * @throws Problem 404 `user_not_found` when nobody signed up with that address, 409 `member_exists`
 */
export function addMember(em: EntityManager, users: Users, now: () => Date) {
  const make = async (teamId: TeamId, userId: string, role: MemberRole, operationKey: string | null) => {
    const tx = em.fork();
    const member = tx.create(Member, { teamId, userId, role, createdAt: now(), operationKey });
    await tx.flush();
    return member;
  };

  return async (teamId: TeamId, email: string, role: MemberRole, operationKey?: string): Promise<NamedMember> => {
    const user = await users.findByEmail(email);
    if (!user) throw notFound('user');
    const { id: userId } = user;
    try {
      const member = await makeOnce(
        async () => (operationKey === undefined ? null : em.fork().findOne(Member, { teamId, userId, operationKey })),
        () => make(teamId, userId, role, operationKey ?? null),
      );
      return named(member, user);
    } catch (err) {
      if (isUniqueViolation(err)) throw conflict('member_exists', 'This user is a member of the team already.');
      throw err;
    }
  };
}

/**
 * Removes a member. The team's row is locked, so that two owners cannot remove each other at once.
 * @throws Problem 404 `member_not_found`, 409 `last_owner`
 */
export function removeMember(em: EntityManager) {
  return (teamId: TeamId, userId: string): Promise<void> =>
    em.fork().transactional(async tx => {
      await tx.findOneOrFail(Team, { id: teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const members = await tx.find(Member, { teamId });
      const member = members.find(it => it.userId === userId);
      if (!member) throw notFound('member');
      requireOwnerAfter(member, members);
      tx.remove(member);
    });
}

const named = ({ userId, role, createdAt }: Member, { email, name }: User): NamedMember => ({
  userId,
  email,
  name,
  role,
  createdAt,
});
