import type { EntityManager } from '@mikro-orm/postgresql';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import { createdWithin, findNewest } from '@billing/database/find-newest';
import {
  listedAuditEntry,
  type AuditContext,
  type AuditTarget,
  type ListedAuditEntry,
} from '@billing/contracts/resources/audit-entry';
import type { Operation } from '@billing/contracts/operation';
import { auditEntryOf } from '@billing/service/audit';
import { AuditEntryRow, AuditRepeats, Invitation } from '#persistence/entities.ts';
import { hashToken } from '#domain/invitation-link.ts';
import { insertRefusals } from '#persistence/insert-audit-entries.ts';
import { findEntryNames, type EntryNames } from './entry-names.ts';

interface Filter extends CreatedRange {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly projectId?: ProjectId | undefined;
}

/** Lists a page of a team's audit log, newest first, with the names of actors. */
export function listAuditLog({ em }: { readonly em: EntityManager }) {
  return async (
    teamId: TeamId,
    { action, actor, projectId, createdAfter, createdBefore, ...page }: Page & Filter,
  ): Promise<[ListedAuditEntry[], Pagination]> => {
    const at = createdWithin({ createdAfter, createdBefore });
    const where = { teamId, action, actorId: actor, projectId, at };
    const order = { time: 'at' };
    const [rows, pagination] = await findNewest(em.fork(), AuditEntryRow, where, page, order);
    const repeats = await findRepeats(em, rows);
    const namesOf = await findEntryNames(em, teamId, rows);
    return [rows.map(row => toEntry(row, namesOf(row), repeats.get(row.id) ?? 0)), pagination];
  };
}

async function findRepeats(em: EntityManager, rows: readonly AuditEntryRow[]): Promise<ReadonlyMap<string, number>> {
  const refused = rows.filter(({ outcome }) => outcome === 'refused').map(({ id }) => id);
  const found = refused.length > 0 ? await em.fork().find(AuditRepeats, { entryId: { $in: refused } }) : [];
  return new Map(found.map(({ entryId, count }) => [entryId, count]));
}

const toEntry = (row: AuditEntryRow, names: EntryNames, repeats: number): ListedAuditEntry => {
  const { actorType, actorId, targetType, targetId } = row;
  return fieldsOf(listedAuditEntry, row, {
    actor: { type: actorType, id: actorId, name: names.actor },
    target: targetType === null || targetId === null ? null : { type: targetType, id: targetId, name: names.target },
    count: 1 + repeats,
  });
};

interface Refused {
  readonly operation: Operation;
  /** The parameters of the path, as the caller wrote them. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The team of the caller, which is the one in the path; null for a path without a team. */
  readonly teamId: TeamId | null;
  readonly context: AuditContext;
}

/** Adds a refused request to the audit log of the team that it was about; if there is no such team, nothing. */
export function recordRefusal({ em }: { readonly em: EntityManager }) {
  async function tenantOf({ operation, params, teamId }: Refused) {
    if (teamId !== null) return { teamId, target: targetOf(operation, params) };
    const token = params['invitationToken'];
    if (token === undefined) return undefined;
    // Also one that was used, withdrawn or replaced, has expired, or is for someone else.
    const invitation = await em.fork().findOne(Invitation, { tokenHash: hashToken(token) });
    return invitation && { teamId: invitation.teamId, target: { type: 'invitation', id: invitation.id } as const };
  }

  return async (refused: Refused): Promise<void> => {
    const tenant = await tenantOf(refused);
    if (!tenant) return;
    const { teamId, target } = tenant;
    const entry = auditEntryOf(refused.context, { ...(target && { target }), outcome: 'refused' });
    await insertRefusals(em, [{ teamId, entry }]);
  };
}

export type RecordRefusal = ReturnType<typeof recordRefusal>;

function targetOf(operation: Operation, params: Refused['params']): AuditTarget | undefined {
  const { refusals } = operation;
  const id = refusals?.param === undefined ? undefined : params[refusals.param];
  // What is not well formed may be anything, so it is not stored.
  const isWellFormed = operation.params.safeParse(params).success;
  return refusals && id !== undefined && isWellFormed ? { type: refusals.target, id } : undefined;
}
