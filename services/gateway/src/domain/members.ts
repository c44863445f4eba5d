import { conflict } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';

interface Membership {
  readonly userId: string;
  readonly role: MemberRole;
}

/**
 * A team always keeps an owner.
 * @throws Problem 409 `last_owner`
 */
export function requireOwnerAfter(removed: Membership, members: readonly Membership[]): void {
  if (members.some(({ userId, role }) => role === 'owner' && userId !== removed.userId)) return;
  throw conflict('last_owner', 'A team keeps at least one owner; make somebody else an owner first.');
}
