import { InvitationId, TeamId } from '@billing/contracts/ids';
import { inTransaction } from '@billing/database/transaction';
import { changesOf } from '@billing/service/audit';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { hashToken } from '#domain/invitation-link.ts';
import { tokenOf } from '#domain/secret-link.ts';
import { Invitation, Team } from '#persistence/entities.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import type { OperationDependencies } from './dependencies.ts';
import { INVITATION_LIFETIME_MS } from './invitations.ts';

/** Who invites where a team has no owner yet. */
const OPERATOR = 'operator';

interface FirstOwner {
  readonly email: string;
  readonly teamName: string;
}

/**
 * Makes a team and invites its first owner, in place of an earlier invitation by an operator that the address has not
 * accepted; returns the secret link.
 */
export function inviteOwner({
  em,
  invitationLinks,
  now,
}: Pick<OperationDependencies, 'em' | 'invitationLinks' | 'now'>) {
  return ({ email, teamName }: FirstOwner, context: AuditContext): Promise<string> =>
    inTransaction(em, async tx => {
      const url = invitationLinks.issue(undefined);
      const createdAt = now();
      const earlier = await tx.findOne(Invitation, { email, invitedBy: OPERATOR, closedAt: null });
      if (earlier) earlier.closedAt = createdAt;
      const teamId = earlier?.teamId ?? TeamId.create();
      if (!earlier)
        tx.create(Team, { id: teamId, name: teamName, createdAt, accountLivemode: null, accountVersion: 0 });
      const id = InvitationId.create();
      const expiresAt = new Date(createdAt.getTime() + INVITATION_LIFETIME_MS);
      const invited = { email, role: 'owner', expiresAt } as const;
      const tokenHash = hashToken(tokenOf(url));
      tx.create(Invitation, { ...invited, id, teamId, tokenHash, invitedBy: OPERATOR, createdAt, closedAt: null });
      const changes = changesOf(null, { email, role: 'owner', url }, ['email', 'url']);
      await audit(tx, teamId, context, { target: { type: 'invitation', id }, changes });
      return url;
    });
}
