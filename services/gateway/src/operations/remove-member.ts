import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { requireOtherOwner } from '#domain/members.ts';
import { Member, Team } from '#persistence/team.entity.ts';

/**
 * Removes a member. It locks the team's row, so that two owners cannot remove each other at the same time.
 * @throws Problem 404 `member_not_found`, 409 `last_owner`
 */
export function removeMember({ em }: { readonly em: EntityManager }) {
  return (teamId: TeamId, userId: string): Promise<void> =>
    em.fork().transactional(async tx => {
      await tx.findOneOrFail(Team, { id: teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const members = await tx.find(Member, { teamId });
      const member = members.find(it => it.userId === userId);
      if (!member) throw notFound('member');
      requireOtherOwner(member, members);
      tx.remove(member);
    });
}
