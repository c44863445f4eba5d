import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, notFound } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';
import { isUniqueViolation } from '@billing/database/database';
import type { Users } from '#auth/sign-in.ts';
import { Member } from '#persistence/team.entity.ts';
import { createOnce } from './create-once.ts';
import { toResource, type MemberResource } from './list-members.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly users: Pick<Users, 'findByEmail'>;
  readonly now: () => Date;
}

/**
 * Makes an existing user a member; the same `operationKey` does so once.
 * @throws Problem 404 `user_not_found` when no user has this address, 409 `member_exists`
 */
export function addMember({ em, users, now }: Dependencies) {
  const insert = async (teamId: TeamId, userId: string, role: MemberRole, operationKey: string | null) => {
    const tx = em.fork();
    const member = tx.create(Member, { teamId, userId, role, createdAt: now(), operationKey });
    await tx.flush();
    return member;
  };

  return async (teamId: TeamId, email: string, role: MemberRole, operationKey?: string): Promise<MemberResource> => {
    const user = await users.findByEmail(email);
    if (!user) throw notFound('user');
    const { id: userId } = user;
    try {
      const member = await createOnce(
        async () => (operationKey === undefined ? null : em.fork().findOne(Member, { teamId, userId, operationKey })),
        () => insert(teamId, userId, role, operationKey ?? null),
      );
      return toResource(member, user);
    } catch (err) {
      if (isUniqueViolation(err)) throw conflict('member_exists', 'This user is already a member of the team.');
      throw err;
    }
  };
}
