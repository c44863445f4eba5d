import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditEntryId } from '@billing/contracts/ids';
import type { AuditEntry, SignInAction } from '@billing/contracts/resources/audit-entry';
import { auditEntryOf } from '@billing/service/audit';
import type { Logger } from 'pino';
import { Member } from '#persistence/entities.ts';
import { insertAuditEntries, insertRefusals } from '#persistence/insert-audit-entries.ts';

/** What happened to a user's account. */
export interface SignInEvent extends Pick<AuditEntry, 'outcome'> {
  readonly userId: string;
  /** The id of the endpoint of sign-in; `endSession` for a session that was ended by wrong passwords or codes. */
  readonly endpoint: SignInAction;
  readonly requestId: string;
  readonly address: string;
}

/**
 * Records an event of an account in the audit log of each of the user's teams. It belongs to no transaction: what cannot be
 * recorded is logged.
 */
export function recordSignIn({ em, logger }: { readonly em: EntityManager; readonly logger: Logger }) {
  return async ({ userId, endpoint, outcome, requestId, address }: SignInEvent): Promise<void> => {
    try {
      const memberships = await em.fork().find(Member, { userId });
      if (memberships.length === 0) return;
      const isEnded = endpoint === 'endSession';
      const context = {
        actor: isEnded ? ({ type: 'system', id: null } as const) : ({ type: 'user', id: userId } as const),
        action: `auth.${endpoint}`,
        projectId: null,
        requestId,
        address: address === '' ? null : address,
      };
      const audited = { target: { type: 'user', id: userId }, outcome } as const;
      const entries = memberships.map(({ teamId }) => ({
        teamId,
        entry: auditEntryOf({ ...context, id: AuditEntryId.create() }, audited),
      }));
      if (outcome === 'refused') await insertRefusals(em, entries);
      else await insertAuditEntries(em.fork(), entries);
    } catch (err) {
      logger.error({ err, audit: { userId, endpoint, outcome, requestId } }, 'sign-in not in the audit log');
    }
  };
}
