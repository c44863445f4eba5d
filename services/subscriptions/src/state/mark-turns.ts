import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { teamsWithWork } from '@billing/database/lease-rows';
import type { Gauge } from '@billing/service/gauges';

/*
 * Who works on which marks. Each team has turns of its own, each in a transaction that locks what it takes: however many marks
 * a team has, and however long one of them takes, those of others do not wait for it.
 */

/** The state of one customer may have changed. */
export interface CustomerMark extends ProjectScope {
  /** PostgreSQL's `bigint` as text. */
  readonly id: string;
  readonly customerId: CustomerId;
}

/** After so many failures a mark is tried every hour. */
export const PUT_ASIDE_AFTER = 8;
const PUT_ASIDE_SECONDS = 3_600;

interface TurnOptions {
  /** Teams that have their turn already. */
  readonly except: readonly TeamId[];
  /** The team that had its turn last: the next ones come after it. */
  readonly after: string;
  readonly limit: number;
  /** Whether marks of many customers count. */
  readonly spreads: boolean;
}

/** Finds the teams that have marks to work on, round and round. */
export const findTeamsWithMarks = async (
  em: EntityManager,
  { except, after, limit, spreads }: TurnOptions,
): Promise<readonly TeamId[]> =>
  (
    await executeBound<{ team_id: TeamId }>(
      em,
      `with recursive ${teamsWithWork('customer_state_marks')}
       select team_id from teams
        where team_id is not null and team_id <> all($1::text[])
          and exists (select from customer_state_marks mark
                       where mark.team_id = teams.team_id and due_at <= statement_timestamp()
                         and (customer_id is not null or $4))
        order by team_id <= $2, team_id limit $3`,
      [except, after, limit, spreads],
    )
  ).map(row => row.team_id);

/** Takes up to `limit` due marks of a team's customers until the transaction ends; one that has failed before comes alone. */
export async function takeMarks(tx: EntityManager, teamId: TeamId, limit: number): Promise<readonly CustomerMark[]> {
  const take = (condition: string, count: number) =>
    executeBound<CustomerMark>(
      tx,
      `select id, team_id as "teamId", project_id as "projectId", customer_id as "customerId" from customer_state_marks
        where team_id = $1 and due_at <= statement_timestamp() and customer_id is not null and ${condition}
        order by due_at limit $2 for update skip locked`,
      [teamId, count],
    );
  const fresh = await take('attempts = 0', limit);
  return fresh.length > 0 ? fresh : take('attempts > 0', 1);
}

/** Deletes marks, in the transaction that has read the states. */
export async function deleteMarks(tx: EntityManager, ids: readonly string[]): Promise<void> {
  await executeBound(tx, `delete from customer_state_marks where id = any($1::bigint[])`, [ids]);
}

/** Counts a failure of marks, and has them wait for a growing time. */
export async function delayMarks(em: EntityManager, ids: readonly string[]): Promise<void> {
  await executeBound(
    em,
    `update customer_state_marks
        set attempts = attempts + 1,
            due_at = clock_timestamp() + make_interval(secs =>
              case when attempts + 1 < ${PUT_ASIDE_AFTER} then power(2, attempts) else ${PUT_ASIDE_SECONDS} end)
      where id = any($1::bigint[])`,
    [ids],
  );
}

/** Changes of states that are not published: those that wait for their turn, and those that have failed again and again. */
export const stateGauge = (em: EntityManager): Gauge => ({
  name: 'billing.state_changes',
  description: 'Changes of customers’ states that are not published: they wait, or have failed again and again.',
  read: async () => {
    const [row] = await em.fork().execute<{ waiting: number; failed: number }[]>(
      `select count(*) filter (where attempts < ${PUT_ASIDE_AFTER})::int as waiting,
              count(*) filter (where attempts >= ${PUT_ASIDE_AFTER})::int as failed from customer_state_marks`,
    );
    return Object.entries(row ?? {}).map(([state, value]) => ({ value, attributes: { state } }));
  },
});
