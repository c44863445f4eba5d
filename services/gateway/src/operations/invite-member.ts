import type { EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';
import { InvitationId, type TeamId } from '@billing/contracts/ids';
import { conflict, forbidden } from '@billing/contracts/problem';
import { changesOf } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { issuedInvitation, MemberRole } from '@billing/contracts/resources/team';
import type { z } from 'zod';
import type { Users } from '#auth/sign-in.ts';
import { hashToken, tokenOf, type InvitationLinks } from '#domain/invitation-link.ts';
import { requireRoom, type Quotas } from '#domain/quotas.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { Invitation } from '#persistence/invitation.entity.ts';
import { lockTeam, requireMembership } from '#persistence/locks.ts';
import { Member } from '#persistence/team.entity.ts';
import { createOnce } from './create-once.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly users: Pick<Users, 'findAll'>;
  readonly invitationLinks: InvitationLinks;
  readonly quotas: Quotas;
  readonly now: () => Date;
}

interface Invited {
  readonly teamId: TeamId;
  readonly invitedBy: string;
  readonly email: string;
  readonly role: MemberRole;
}

/** An invitation with its secret link, which no other response contains. */
type IssuedInvitation = z.output<typeof issuedInvitation>;

/** How long an invitation is open, in milliseconds. */
const LIFETIME_MS = 7 * 86_400_000;

/**
 * Invites an address to a team and closes its earlier invitations; the same `operationKey` makes one invitation and
 * returns the same link. Whether anyone has signed up with the address makes no difference.
 * @throws Problem 409 `member_exists`, 422 `quota_exceeded`, 403 when the inviter is no owner any more
 */
export function inviteMember({ em, users, invitationLinks, quotas, now }: Dependencies) {
  const insert = (id: InvitationId, invited: Invited, url: string, context: AuditContext): Promise<Invitation> =>
    inTransaction(em, async tx => {
      const { teamId, invitedBy, email } = invited;
      await lockTeam(tx, teamId);
      const inviter = await requireMembership(tx, teamId, invitedBy);
      if (inviter.role !== 'owner') throw forbidden();
      const createdAt = now();
      const open = await tx.find(Invitation, { teamId, closedAt: null, expiresAt: { $gt: createdAt } });
      const [replaced, others] = partition(open, invitation => invitation.email === email);
      requireRoom(quotas, 'invitations', others.length);
      for (const invitation of replaced) invitation.closedAt = createdAt;
      const replaces = replaced.length > 0 ? replaced.map(invitation => invitation.id) : null;
      await audit(tx, teamId, context, {
        target: { type: 'invitation', id },
        changes: changesOf(null, { email, role: invited.role, url, replaces }, ['email', 'url']),
      });
      return tx.create(Invitation, {
        ...invited,
        id,
        tokenHash: hashToken(tokenOf(url)),
        createdAt,
        expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
        closedAt: null,
      });
    });

  async function isMember(teamId: TeamId, email: string): Promise<boolean> {
    const members = await em.fork().find(Member, { teamId });
    const found = await users.findAll(members.map(({ userId }) => userId));
    return found.some(user => user.email === email);
  }

  return async (invited: Invited, context: AuditContext, operationKey?: string): Promise<IssuedInvitation> => {
    const { teamId } = invited;
    if (await isMember(teamId, invited.email))
      throw conflict('member_exists', 'This user is already a member of the team.');
    const url = invitationLinks.issue(operationKey);
    if (operationKey === undefined) return withLink(await insert(InvitationId.create(), invited, url, context), url);
    const id = derivedId(InvitationId, operationKey, 'invitation');
    const invitation = await createOnce(
      () => em.fork().findOne(Invitation, { id, teamId }),
      () => insert(id, invited, url, context),
    );
    return withLink(invitation, invitationLinks.reissue(operationKey, invitation.tokenHash));
  };
}

const withLink = ({ id, email, role, invitedBy, expiresAt, createdAt }: Invitation, url: string): IssuedInvitation => ({
  id,
  email,
  role,
  invitedBy,
  expiresAt,
  createdAt,
  url,
});

function partition<Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(matches), items.filter(item => !matches(item))];
}
