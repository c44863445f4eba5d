import { notFound } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';
import { hashToken } from '#domain/invitation-link.ts';
import { Invitation, Team } from '#persistence/entities.ts';
import type { OperationDependencies } from './dependencies.ts';

/** What an invitation says to whoever has its link. */
export interface DescribedInvitation {
  readonly teamName: string;
  /** Null when an operator of this installation invites, or the inviter is gone. */
  readonly inviter: { readonly name: string; readonly email: string } | null;
  readonly email: string;
  readonly role: MemberRole;
}

/**
 * Says who invites whom to which team.
 * @throws Problem 404 `invitation_not_found` for a token of no open invitation, whatever is wrong with it
 */
export function describeInvitation({ em, users, now }: Pick<OperationDependencies, 'em' | 'users' | 'now'>) {
  return async (token: string): Promise<DescribedInvitation> => {
    const open = { tokenHash: hashToken(token), closedAt: null, expiresAt: { $gt: now() } };
    const failHandler = () => notFound('invitation');
    const { teamId, invitedBy, email, role } = await em.fork().findOneOrFail(Invitation, open, { failHandler });
    const [team, [inviter]] = await Promise.all([
      em.fork().findOneOrFail(Team, { id: teamId }, { failHandler }),
      users.findAll([invitedBy]),
    ]);
    return { teamName: team.name, inviter: inviter ? { name: inviter.name, email: inviter.email } : null, email, role };
  };
}
