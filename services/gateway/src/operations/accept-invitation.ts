import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';
import { conflict, notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { changesOf } from '@billing/service/audit';
import type { Users } from '#auth/sign-in.ts';
import { hashToken } from '#domain/invitation-link.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { Invitation } from '#persistence/invitation.entity.ts';
import { lockTeam } from '#persistence/locks.ts';
import { Member, type Team } from '#persistence/team.entity.ts';
import { toResource, type MemberResource } from './list-members.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly users: Pick<Users, 'findAll'>;
  readonly now: () => Date;
}

interface Accepted {
  readonly team: Team;
  readonly member: MemberResource;
}

/**
 * Makes the user a member, by an open invitation of their address; its token works once.
 * @throws Problem 404 `invitation_not_found` for any other token, whatever is wrong with it; 409 `member_exists`
 */
export function acceptInvitation({ em, users, now }: Dependencies) {
  return async (userId: string, token: string, context: AuditContext): Promise<Accepted> => {
    const [user] = await users.findAll([userId]);
    if (!user) throw notFound('invitation');
    return inTransaction(em, async tx => {
      const at = now();
      const open = { tokenHash: hashToken(token), email: user.email, closedAt: null, expiresAt: { $gt: at } };
      const failHandler = () => notFound('invitation');
      const { teamId } = await tx.findOneOrFail(Invitation, open, { failHandler });
      const team = await lockTeam(tx, teamId);
      // Read again under the lock: it may have been used or withdrawn meanwhile.
      const invitation = await tx.findOneOrFail(Invitation, open, {
        failHandler,
        lockMode: LockMode.PESSIMISTIC_WRITE,
        refresh: true,
      });
      if (await tx.findOne(Member, { teamId, userId }))
        throw conflict('member_exists', 'You are already a member of the team.');
      invitation.closedAt = at;
      const { role } = invitation;
      await audit(tx, teamId, context, {
        target: { type: 'invitation', id: invitation.id },
        changes: changesOf(null, { member: userId, role }),
      });
      const member = tx.create(Member, { teamId, userId, role, createdAt: at, operationKey: null });
      return { team, member: toResource(member, user) };
    });
  };
}
