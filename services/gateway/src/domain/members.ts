import { conflict } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';

interface TeamMember {
  readonly userId: string;
  readonly role: MemberRole;
}

/**
 * Requires that the team has an owner besides the member to remove.
 * @throws Problem 409 `last_owner`
 */
export function requireOtherOwner(removed: TeamMember, members: readonly TeamMember[]): void {
  if (members.some(({ userId, role }) => role === 'owner' && userId !== removed.userId)) return;
  throw conflict('last_owner', 'A team must have at least one owner; make someone else an owner first.');
}
