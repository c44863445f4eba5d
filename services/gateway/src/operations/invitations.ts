import { LockMode } from '@mikro-orm/postgresql';
import { InvitationId, type TeamId } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { findNewest } from '@billing/database/find-newest';
import { inTransaction } from '@billing/database/transaction';
import { conflict, forbidden, notFound } from '@billing/contracts/problem';
import { changesOf } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { MemberRole, issuedInvitation } from '@billing/contracts/resources/team';
import type { z } from 'zod';
import { Invitation, Member, Team } from '#persistence/entities.ts';
import { hashToken } from '#domain/invitation-link.ts';
import { tokenOf } from '#domain/secret-link.ts';
import { requireRoom } from '#domain/quotas.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockTeam, requireMembership } from '#persistence/locks.ts';
import { createOnce } from './create-once.ts';
import { toResource, type MemberResource } from './members.ts';
import type { OperationDependencies } from './dependencies.ts';

/** Lists a page of the open invitations of a team, newest first, and how many there are in all. */
export function listInvitations({ em, now }: OperationDependencies) {
  return (teamId: TeamId, page: Page): Promise<[Invitation[], Pagination]> =>
    findNewest(em.fork(), Invitation, { teamId, closedAt: null, expiresAt: { $gt: now() } }, page);
}

/** Returns whether an open invitation of an address has this token, of whichever team. */
export function isInvited({ em, now }: Pick<OperationDependencies, 'em' | 'now'>) {
  return async (email: string, token: string): Promise<boolean> => {
    const open = { tokenHash: hashToken(token), email, closedAt: null, expiresAt: { $gt: now() } };
    return (await em.fork().count(Invitation, open)) > 0;
  };
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
export const INVITATION_LIFETIME_MS = 7 * 86_400_000;

/**
 * Invites an address to a team, by mail where this installation sends mail, and closes its earlier invitations. The same
 * `operationKey` makes one invitation and returns the same link, whether or not anyone has signed up with the address.
 * @throws Problem 409 `member_exists`, 422 `quota_exceeded`, 403 when the inviter is no owner any more
 */
export function inviteMember(dependencies: OperationDependencies) {
  const { em, users, invitationLinks, mailInvitation, quotas, now } = dependencies;
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
      // Whoever is invited may accept: then nobody has to be refused.
      requireRoom(quotas, 'members', others.length + (await tx.count(Member, { teamId })));
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
        expiresAt: new Date(createdAt.getTime() + INVITATION_LIFETIME_MS),
        closedAt: null,
      });
    });

  async function invite(id: InvitationId, invited: Invited, link: string, context: AuditContext): Promise<Invitation> {
    const invitation = await insert(id, invited, link, context);
    const { teamId, invitedBy, email } = invited;
    const [team, [inviter]] = await Promise.all([
      em.fork().findOneOrFail(Team, { id: teamId }),
      users.findAll([invitedBy]),
    ]);
    if (inviter) await mailInvitation?.(email, { teamId, teamName: team.name, inviter, link });
    return invitation;
  }

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
    if (operationKey === undefined) return withLink(await invite(InvitationId.create(), invited, url, context), url);
    const id = derivedId(InvitationId, operationKey, 'invitation');
    const invitation = await createOnce(
      () => em.fork().findOne(Invitation, { id, teamId }),
      () => invite(id, invited, url, context),
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

interface Accepted {
  readonly team: Team;
  readonly member: MemberResource;
}

/**
 * Makes the user a member, by an open invitation of their address; its token works once.
 * @throws Problem 404 `invitation_not_found` for any other token, whatever is wrong with it; 409 `member_exists`
 */
export function acceptInvitation({ em, users, now }: OperationDependencies) {
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

/**
 * Closes an open invitation: its link stops working.
 * @throws Problem 404 `invitation_not_found`
 */
export function withdrawInvitation({ em, now }: OperationDependencies) {
  return (teamId: TeamId, id: InvitationId, context: AuditContext): Promise<void> =>
    inTransaction(em, async tx => {
      const invitation = await tx.findOneOrFail(
        Invitation,
        { id, teamId, closedAt: null, expiresAt: { $gt: now() } },
        { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('invitation') },
      );
      const closedAt = now();
      invitation.closedAt = closedAt;
      const changes = changesOf(null, { closedAt });
      await audit(tx, teamId, context, { target: { type: 'invitation', id }, changes });
    });
}
