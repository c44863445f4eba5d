import { TeamId } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { findNewest } from '@billing/database/find-newest';
import { inTransaction } from '@billing/database/transaction';
import { derivedId } from '@billing/service/derived-id';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { changesOf } from '@billing/service/audit';
import { Member, Team } from '#persistence/entities.ts';
import { requireRoom } from '#domain/quotas.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockTeam, lockTeamsOf } from '#persistence/locks.ts';
import { createOnce } from './create-once.ts';
import type { OperationDependencies } from './dependencies.ts';

/** Lists a page of the teams of a user, newest first. */
export function listTeams({ em }: OperationDependencies) {
  return async (userId: string, page: Page): Promise<[Team[], Pagination]> => {
    const fork = em.fork();
    const memberships = await fork.find(Member, { userId });
    const ids = memberships.map(({ teamId }) => teamId);
    return findNewest(fork, Team, { id: { $in: ids } }, page);
  };
}

/** Changes the given fields. */
export function updateTeam({ em }: OperationDependencies) {
  return (id: TeamId, changes: { readonly name?: string | undefined }, context: AuditContext): Promise<Team> =>
    inTransaction(em, async tx => {
      const team = await lockTeam(tx, id);
      const { name } = team;
      if (changes.name !== undefined) team.name = changes.name;
      const audited = { target: { type: 'team', id }, changes: changesOf({ name }, { name: team.name }) } as const;
      await audit(tx, id, context, audited);
      return team;
    });
}

/**
 * Creates a team and makes its creator the owner; the same `operationKey` creates one team.
 * @throws Problem 422 `quota_exceeded`
 */
export function createTeam({ em, quotas, now }: OperationDependencies) {
  const insert = (id: TeamId, userId: string, name: string, context: AuditContext) =>
    inTransaction(em, async tx => {
      await lockTeamsOf(tx, userId);
      requireRoom(quotas, 'teams', await tx.count(Member, { userId, role: 'owner' }));
      const createdAt = now();
      const team = tx.create(Team, { id, name, createdAt, accountLivemode: null, accountVersion: 0 });
      tx.create(Member, { teamId: id, userId, role: 'owner', createdAt, operationKey: null });
      await audit(tx, id, context, { target: { type: 'team', id }, changes: changesOf(null, { name }) });
      return team;
    });

  return async (userId: string, name: string, context: AuditContext, operationKey?: string): Promise<Team> => {
    if (operationKey === undefined) return insert(TeamId.create(), userId, name, context);
    const id = derivedId(TeamId, operationKey, 'team');
    return createOnce(
      () => em.fork().findOne(Team, { id }),
      () => insert(id, userId, name, context),
    );
  };
}
