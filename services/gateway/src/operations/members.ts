import { LockMode } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { findNewest } from '@billing/database/find-newest';
import type { MemberRole } from '@billing/contracts/resources/team';
import { inTransaction } from '@billing/database/transaction';
import { conflict, notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { changesOf } from '@billing/service/audit';
import type { User } from '#auth/sign-in.ts';
import { ApiKey, Invitation, Member } from '#persistence/entities.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockTeam } from '#persistence/locks.ts';
import type { OperationDependencies } from './dependencies.ts';

/** A member as the API shows it. */
export interface MemberResource {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
}

/** Lists a page of a team's members, newest first. */
export function listMembers({ em, users }: OperationDependencies) {
  return async (teamId: TeamId, page: Page): Promise<[MemberResource[], Pagination]> => {
    const [members, pagination] = await findNewest(em.fork(), Member, { teamId }, page, { ids: ['userId'] });
    const found = await users.findAll(members.map(({ userId }) => userId));
    const userById = new Map(found.map(user => [user.id, user]));
    const resources = members.flatMap(member => {
      const user = userById.get(member.userId);
      return user ? [toResource(member, user)] : [];
    });
    return [resources, pagination];
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

interface Removal {
  readonly keepKeys: boolean;
  /** Throws when an owner may not be removed by this request. */
  readonly requireMayRemoveOwner: () => void;
}

/** What the member leaves behind. */
interface Left {
  readonly revokedKeys: ApiKey[];
  readonly keptKeys: ApiKey[];
  readonly withdrawnInvitations: Invitation[];
}

/**
 * Removes a member. Their access by session ends with the commit. With it the API keys that they created or rotated last
 * are revoked unless `keepKeys`, and the invitations that they made, or that would bring them back, are closed. It locks the
 * team's row, so that two owners cannot remove each other at the same time.
 * @throws Problem 404 `member_not_found`, 409 `last_owner`
 */
export function removeMember({ em, users, now }: OperationDependencies) {
  return async (
    teamId: TeamId,
    userId: string,
    { keepKeys, requireMayRemoveOwner }: Removal,
    context: AuditContext,
  ): Promise<Left> => {
    const [user] = await users.findAll([userId]);
    return inTransaction(em, async tx => {
      await lockTeam(tx, teamId);
      // This waits for API keys that the member is about to create, so that they are found below.
      const members = await tx.find(Member, { teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const member = members.find(it => it.userId === userId);
      if (!member) throw notFound('member');
      if (member.role === 'owner') requireMayRemoveOwner();
      if (!members.some(it => it.role === 'owner' && it.userId !== userId))
        throw conflict('last_owner', 'A team must have at least one owner; make someone else an owner first.');
      tx.remove(member);
      const at = now();
      const keys = await tx.find(
        ApiKey,
        { teamId, revokedAt: null, $or: [{ createdBy: userId }, { rotatedBy: userId }] },
        { orderBy: { createdAt: 'desc', id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!keepKeys) for (const apiKey of keys) apiKey.revokedAt = at;
      const invitations = await tx.find(Invitation, {
        teamId,
        closedAt: null,
        expiresAt: { $gt: at },
        $or: [{ invitedBy: userId }, ...(user ? [{ email: user.email }] : [])],
      });
      for (const invitation of invitations) invitation.closedAt = at;
      const changes = [
        { field: 'role', from: member.role, to: null },
        ...changed(keepKeys ? 'keptKeys' : 'revokedKeys', keys),
        ...changed('withdrawnInvitations', invitations),
      ];
      await audit(tx, teamId, context, { target: { type: 'member', id: userId }, changes });
      return {
        revokedKeys: keepKeys ? [] : keys,
        keptKeys: keepKeys ? keys : [],
        withdrawnInvitations: invitations,
      };
    });
  };
}

const changed = (field: string, rows: readonly { readonly id: string }[]) =>
  changesOf(null, { [field]: rows.length > 0 ? rows.map(({ id }) => id) : null });
