import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import type { Envelope } from '@billing/contracts/event';
import { executeBound } from '@billing/database/bound-statement';

const PurgedTeamSchema = defineEntity({
  name: 'PurgedTeam',
  tableName: 'purged_teams',
  properties: {
    teamId: p.text().primary(),
    /** The last purge. */
    purgeId: p.uuid(),
    /** False while the purge runs: every event about the team's records is dropped. */
    isOpen: p.boolean(),
    /** Events from before then are about records that were purged. */
    until: p.datetime().nullable(),
  },
});

/** A team whose records of the processor's account are being purged, or were. */
export class PurgedTeam extends PurgedTeamSchema.class {}
PurgedTeamSchema.setClass(PurgedTeam);

interface PurgedTeamRow {
  readonly team_id: string;
  readonly is_open: boolean;
  readonly until_ms: number | null;
}

/** Whether an event is about records that were purged. */
export type IsPurged = (event: Pick<Envelope, 'teamId' | 'type' | 'occurredAt'>) => boolean;

/** How the types of events begin that mirror nothing of an account; a purge itself goes by some of them. */
export const ABOUT_NO_ACCOUNT = ['project.', 'processor-account.', 'audit.', 'feature.'] as const;
const isAboutNoAccount = (type: string): boolean => ABOUT_NO_ACCOUNT.some(prefix => type.startsWith(prefix));

/** Reads which events of the teams are to be dropped, in the caller's transaction. */
export async function readPurged(tx: EntityManager, teamIds: readonly string[]): Promise<IsPurged> {
  const rows = await executeBound<PurgedTeamRow>(
    tx,
    `select team_id, is_open, (extract(epoch from until) * 1000)::float8 as until_ms
       from purged_teams where team_id = any($1::text[])`,
    [[...new Set(teamIds)]],
  );
  const teams = new Map(rows.map(row => [row.team_id, row]));
  return ({ teamId, type, occurredAt }) => {
    const team = teams.get(teamId);
    if (!team || isAboutNoAccount(type)) return false;
    return !team.is_open || occurredAt.getTime() <= (team.until_ms ?? 0);
  };
}

/** One purge of a team. */
export interface Purging {
  readonly teamId: string;
  readonly purgeId: string;
}

/** The condition that a purge runs in this service: a late copy of its event must not touch what came after it. */
export const PURGE_RUNS = `exists (select from purged_teams t where t.team_id = ? and t.purge_id = ? and not t.is_open)`;

/**
 * Closes a team: from when this resolves, no consumer of the service changes anything about its records. Whoever did not see
 * that the team is closed has marked its events before (`processed_events`), and is waited for. Returns false, with nothing
 * changed, for a purge that has ended.
 */
export async function closeTeam(em: EntityManager, { teamId, purgeId }: Purging): Promise<boolean> {
  const rows = await em.fork().execute<unknown[]>(
    `insert into purged_teams as known (team_id, purge_id, is_open) values (?, ?, false)
     on conflict (team_id) do update set is_open = false, purge_id = excluded.purge_id
      where known.purge_id <> excluded.purge_id or not known.is_open
     returning 1`,
    [teamId, purgeId],
  );
  if (rows.length === 0) return false;
  await em.fork().transactional(tx => tx.execute(`lock table processed_events in share mode`));
  return true;
}

/** Locks a team for the caller's transaction; true while the purge runs. */
export async function lockPurge(tx: EntityManager, { teamId, purgeId }: Purging): Promise<boolean> {
  const rows = await tx.execute<unknown[]>(
    `select 1 from purged_teams where team_id = ? and purge_id = ? and not is_open for update`,
    [teamId, purgeId],
  );
  return rows.length > 0;
}

/** Opens a team again, in the caller's transaction; events from before `until` stay dropped. */
export async function openTeam(tx: EntityManager, { teamId, purgeId }: Purging, until: Date): Promise<void> {
  await tx.execute(
    `update purged_teams set is_open = true, until = greatest(until, ?::timestamptz)
      where team_id = ? and purge_id = ?`,
    [until.toISOString(), teamId, purgeId],
  );
}
