import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';
import type { InvitationId, TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { changesOf } from '@billing/service/audit';
import { audit } from '#persistence/insert-audit-entries.ts';
import { Invitation } from '#persistence/invitation.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/**
 * Closes an open invitation: its link stops working.
 * @throws Problem 404 `invitation_not_found`
 */
export function withdrawInvitation({ em, now }: Dependencies) {
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
