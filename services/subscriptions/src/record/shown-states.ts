import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ShownState } from '@billing/contracts/events/subscriptions';
import type { ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { Subscription } from './subscription.entity.ts';

/** States that were shown of subscriptions, by the subscription's id. */
export type ShownStates = ReadonlyMap<SubscriptionId, readonly ShownState[]>;

interface Shown {
  readonly subscription: Pick<Subscription, 'id' | 'teamId' | 'projectId'>;
  readonly states: readonly ShownState[];
}

interface ShownRow extends Pick<ShownState, 'by'> {
  readonly subscriptionId: SubscriptionId;
  readonly ms: number;
  readonly state: Omit<ShownState, 'at' | 'by'>;
}

const COLUMNS = `subscription_id as "subscriptionId", round(date_part('epoch', shown_at) * 1000) as ms, shown_by as by, state`;

/**
 * Adds to the states that were shown of subscriptions, and returns what is new. The caller's transaction publishes that; it
 * holds the locks of the subscriptions.
 */
export async function addShownStates(tx: EntityManager, shown: readonly Shown[]): Promise<ShownStates> {
  const given = shown.flatMap(({ subscription, states }) =>
    states.map(({ at, by, ...state }) => ({ subscription, at, by, state: JSON.stringify(state) })),
  );
  if (given.length === 0) return new Map();
  const added = await executeBound<ShownRow>(
    tx,
    `insert into shown_states (team_id, project_id, subscription_id, shown_at, shown_by, digest, state)
     select team_id, project_id, subscription_id, to_timestamp(ms / 1000), shown_by, digest, state::json
       from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::int[], $6::text[], $7::text[])
              as it (team_id, project_id, subscription_id, ms, shown_by, digest, state)
         on conflict do nothing
     returning ${COLUMNS}`,
    [
      textArray(given.map(it => it.subscription.teamId)),
      textArray(given.map(it => it.subscription.projectId)),
      textArray(given.map(it => it.subscription.id)),
      given.map(({ at }) => at.getTime()),
      given.map(({ by }) => by),
      textArray(given.map(({ state }) => digestOf(state))),
      textArray(given.map(({ state }) => state)),
    ],
  );
  return bySubscription(added);
}

/** Which of the states that were shown of a project's subscriptions are read, in the order of the ids. */
interface Wanted {
  readonly ids: readonly SubscriptionId[];
  readonly skip: number;
  readonly limit: number;
}

/** Reads states that were shown of a project's subscriptions, the oldest of each first. */
export async function readShownStates(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { ids, skip, limit }: Wanted,
): Promise<ShownStates> {
  if (ids.length === 0) return new Map();
  const rows = await executeBound<ShownRow>(
    em,
    `select ${COLUMNS}
       from unnest($3::text[]) with ordinality as wanted (id, place)
       join shown_states on team_id = $1 and project_id = $2 and subscription_id = wanted.id
      order by place, shown_at, shown_by, digest offset $4 limit $5`,
    [teamId, projectId, textArray(ids), skip, limit],
  );
  return bySubscription(rows);
}

const bySubscription = (rows: readonly ShownRow[]): ShownStates =>
  new Map(
    [...Map.groupBy(rows, ({ subscriptionId }) => subscriptionId)].map(([id, ofOne]) => [
      id,
      ofOne.map(({ ms, by, state }) => ({ ...state, at: new Date(ms), by })),
    ]),
  );

/** 132 bits, which tell the states of one second apart. */
const digestOf = (state: string): string => hash('sha256', state, 'base64url').slice(0, 22);
