import type { EntityManager } from '@mikro-orm/postgresql';
import { TeamId } from '@billing/contracts/ids';
import { idOfOperation } from '#domain/operation-id.ts';
import { Member, Team } from '#persistence/team.entity.ts';
import { makeOnce } from './make-once.ts';

/** Creates a team that its creator owns; the same `operationKey` creates it once. */
export function createTeam(em: EntityManager, now: () => Date) {
  const make = (id: TeamId, userId: string, name: string) =>
    em.fork().transactional(async tx => {
      const createdAt = now();
      const team = tx.create(Team, { id, name, createdAt });
      tx.create(Member, { teamId: id, userId, role: 'owner', createdAt, operationKey: null });
      return team;
    });

  return async (userId: string, name: string, operationKey?: string): Promise<Team> => {
    if (operationKey === undefined) return make(TeamId.create(), userId, name);
    const id = idOfOperation('team', operationKey);
    return makeOnce(
      () => em.fork().findOne(Team, { id }),
      () => make(id, userId, name),
    );
  };
}

/** The teams a user is a member of, newest first. */
export function listTeams(em: EntityManager) {
  return async (userId: string): Promise<Team[]> => {
    const fork = em.fork();
    const memberships = await fork.find(Member, { userId });
    const ids = memberships.map(({ teamId }) => teamId);
    return fork.find(Team, { id: { $in: ids } }, { orderBy: { createdAt: 'desc', id: 'asc' } });
  };
}
