import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { auditEntryOf, auditOfCommand } from '@billing/service/audit';
import { insertAuditEntries } from '#persistence/insert-audit-entries.ts';
import { Member } from '#persistence/team.entity.ts';

/** Records in the audit log of each of a user's teams that an operator made a link to reset the user's password. */
export async function recordResetLink(em: EntityManager, userId: string): Promise<void> {
  const fork = em.fork();
  const memberships = await fork.find(Member, { userId });
  const requestId = randomUUID();
  const target = { type: 'user', id: userId } as const;
  await insertAuditEntries(
    fork,
    memberships.map(({ teamId }) => ({
      teamId,
      entry: auditEntryOf(auditOfCommand('resetLink', requestId), { target }),
    })),
  );
}
