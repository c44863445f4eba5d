import type { EntityManager } from '@mikro-orm/postgresql';
import { purgeConsumerOf } from '@billing/contracts/bus-access';
import { PurgeFinished, PurgeReported, PurgeStarted } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { unavailable } from '@billing/contracts/problem';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import {
  ABOUT_NO_ACCOUNT,
  closeTeam,
  lockPurge,
  openTeam,
  PURGE_RUNS,
  type Purging,
} from '@billing/messaging/purged-teams';

/** Rows per statement. */
const CHUNK = 5_000;
/** How long a delivery deletes before it waits for the next one, in milliseconds: within the time of a preparation. */
const BUDGET_MS = 15_000;

/** How a service deletes everything of a team that mirrors the processor's account. */
export interface Purge {
  /** Tables whose rows of the team are deleted, in this order; each has a column `team_id`. */
  readonly tables: readonly string[];
  /** Tables of teams whose rows stay, since they mirror nothing of an account. */
  readonly kept?: readonly string[];
  /** Waits until nothing else works on the team's rows; runs after the service's consumers were closed for the team. */
  readonly settle?: (teamId: TeamId) => Promise<void>;
  /** Deletes what stands in no table of the list, in the transaction that reports the purge. */
  readonly remove?: (tx: EntityManager, teamId: TeamId) => Promise<void>;
}

interface PurgeParts {
  readonly service: ServiceName;
  readonly purge: Purge;
  readonly em: EntityManager;
  readonly now: () => Date;
}

/**
 * Purges the records of a team's account in two steps, each of which the service reports. At the start the team is closed and
 * its rows are deleted. Once every service has done so, nothing produces events about the records any more: then what a
 * request or job under way may have left is deleted too, and the team is opened for events from after `until`.
 */
export function purgeConsumer({ service, purge, em, now }: PurgeParts): Consumer {
  /** Outside of a transaction, for there may be millions of rows. */
  const deleteInChunks = async ({ teamId, purgeId }: Purging): Promise<void> => {
    const deadline = performance.now() + BUDGET_MS;
    for (const table of purge.tables) {
      for (let deleted = CHUNK; deleted === CHUNK;) {
        if (performance.now() > deadline) throw unavailable('The purge goes on with the next delivery.');
        const rows = await em.fork().execute<unknown[]>(
          // Rows of other teams may be at the same place of another partition.
          `delete from ${table}
            where team_id = ? and ctid = any(array(select ctid from ${table} where team_id = ? limit ${CHUNK}))
              and ${PURGE_RUNS}
           returning 1`,
          [teamId, teamId, teamId, purgeId],
        );
        deleted = Math.min(rows.length, CHUNK);
      }
    }
  };

  const deleteRest = async (tx: EntityManager, teamId: TeamId, projectIds: readonly string[]): Promise<void> => {
    for (const table of purge.tables) await tx.execute(`delete from ${table} where team_id = ?`, [teamId]);
    const kept = ABOUT_NO_ACCOUNT.map(prefix => `${prefix}%`);
    await tx.execute(`delete from outbox_messages where team_id = ? and not type like any(?)`, [teamId, kept]);
    await tx.execute(`delete from dead_letters where team_id = ?`, [teamId]);
    if (projectIds.length > 0)
      await tx.execute(`delete from idempotent_requests where owner in (${projectIds.map(() => '?').join(', ')})`, [
        ...projectIds,
      ]);
    await purge.remove?.(tx, teamId);
  };

  return consumer(...purgeConsumerOf(service))
    .on(PurgeStarted, {
      prepare: async ({ teamId, data: { purgeId } }): Promise<'prepared'> => {
        if (!(await closeTeam(em, { teamId, purgeId }))) return 'prepared';
        await purge.settle?.(teamId);
        await deleteInChunks({ teamId, purgeId });
        return 'prepared';
      },
      handle: async (tx, deliveries, publish) => {
        const { prepared = [], unprepared = [] } = Object.groupBy(deliveries, ({ context }) => context ?? 'unprepared');
        for (const { teamId, data } of prepared) {
          const { purgeId, projectIds } = data;
          if (await lockPurge(tx, { teamId, purgeId })) await deleteRest(tx, teamId, projectIds);
          publish(PurgeReported, teamId, { purgeId, step: 'started', service, at: now() });
        }
        return unprepared;
      },
    })
    .on(PurgeFinished, async (tx, deliveries, publish) => {
      for (const { teamId, data } of deliveries) {
        const { purgeId, projectIds, until } = data;
        if (await lockPurge(tx, { teamId, purgeId })) {
          await deleteRest(tx, teamId, projectIds);
          await openTeam(tx, { teamId, purgeId }, until);
        }
        publish(PurgeReported, teamId, { purgeId, step: 'finished', service, at: now() });
      }
    });
}

/** Tables of the chassis, which a purge treats itself. */
const OWN_TABLES = ['outbox_messages', 'dead_letters', 'purged_teams'];

/**
 * Checks that each table of teams is either purged or kept, so that no new one is forgotten.
 * @throws Error that names the table
 */
export async function checkPurge(service: ServiceName, em: EntityManager, { tables, kept = [] }: Purge): Promise<void> {
  const known = new Set([...OWN_TABLES, ...tables, ...kept]);
  const ofTeams = await em.fork().execute<{ name: string }[]>(
    `select relname as name from pg_class
       join pg_attribute on attrelid = pg_class.oid and attname = 'team_id' and not attisdropped
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  for (const { name } of ofTeams)
    if (!known.has(name))
      throw new Error(`${name} of ${service} is neither in \`purge.tables\` nor in \`purge.kept\`.`);
}
