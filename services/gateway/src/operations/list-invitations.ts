import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { Invitation } from '#persistence/invitation.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/** Returns a page of a team's open invitations, newest first, and how many there are in all. */
export function listInvitations({ em, now }: Dependencies) {
  return (teamId: TeamId, { limit, offset }: Page): Promise<[Invitation[], number]> =>
    em
      .fork()
      .findAndCount(
        Invitation,
        { teamId, closedAt: null, expiresAt: { $gt: now() } },
        { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
      );
}
