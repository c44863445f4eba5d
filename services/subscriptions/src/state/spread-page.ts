import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import { inTransaction } from '@billing/database/transaction';
import type { ConcerningMany } from './state-marks.ts';
import { deleteMarks, delayMarks, PUT_ASIDE_AFTER } from './mark-turns.ts';

/** A mark of all whom a change concerns, and how far it has been spread. */
export interface SpreadMark extends ConcerningMany {
  readonly id: string;
  /** First the subscriptions of the project, then what was given by hand, of which only features are. */
  readonly walk: 'subscriptions' | 'grants';
  /** The last subscription, or the last customer with a grant, that was looked at. */
  readonly after: string | null;
  readonly attempts: number;
}

/** Where a subscription stands among those of its project; before all when there is none. */
const placeOf = (id: string): string =>
  `(coalesce((select created_at from subscriptions where id = ${id}), '-infinity'), coalesce(${id}, ''))`;

/** Takes the mark of a team that has waited longest until the transaction ends. */
export const takeSpread = (tx: EntityManager, teamId: TeamId): Promise<readonly SpreadMark[]> =>
  executeBound(
    tx,
    `select id, team_id as "teamId", project_id as "projectId", owner_id as "ownerId", feature_key as "featureKey", walk,
            after, attempts
       from customer_state_marks
      where team_id = $1 and customer_id is null and due_at <= statement_timestamp()
      order by due_at limit 1 for update skip locked`,
    [teamId],
  );

/**
 * Marks each customer whom a change concerns, among the next rows of its project: who is subscribed to what gives a feature, was
 * given it by hand, or is past due or paused. The mark then says where the next page begins; after the last one it is deleted. Whoever is
 * recorded meanwhile, before that place, is marked by what records them.
 */
export async function spreadPage(tx: EntityManager, mark: SpreadMark, size: number): Promise<void> {
  await deleteEqual(tx, mark);
  // A page that failed may have been too large.
  const limit = Math.max(1, size >> (2 * mark.attempts));
  const { teamId, projectId, ownerId, featureKey } = mark;
  const [page] = await executeBound<{ count: number; last: string | null }>(
    tx,
    mark.walk === 'grants' ? GRANTS : SUBSCRIPTIONS,
    [teamId, projectId, mark.after ?? '', limit, ...(mark.walk === 'grants' ? [featureKey] : [ownerId, featureKey])],
    { isDynamic: true },
  );
  if (page && page.count === limit) await goOn(tx, mark, mark.walk, page.last);
  else if (mark.walk === 'subscriptions' && featureKey) await goOn(tx, mark, 'grants', null);
  else await deleteMarks(tx, [mark.id]);
}

/** Counts a failure of a page. Once it has failed for good, the mark stays for its first row, and another goes on after that. */
export async function delaySpread(em: EntityManager, { id }: Pick<SpreadMark, 'id'>): Promise<void> {
  await inTransaction(em, async tx => {
    await delayMarks(tx, [id]);
    await executeBound(
      tx,
      `insert into customer_state_marks (team_id, project_id, owner_id, feature_key, walk, after, due_at)
       select team_id, project_id, owner_id, feature_key, walk, next, statement_timestamp()
         from customer_state_marks mark cross join lateral (
                select case walk when 'grants' then (
                         select customer_id from grant_copies given
                          where given.team_id = mark.team_id and given.project_id = mark.project_id
                            and given.customer_id > coalesce(after, '') order by customer_id limit 1)
                       else (
                         select next.id from subscriptions next
                          where next.team_id = mark.team_id and next.project_id = mark.project_id
                            and (created_at, next.id) > ${placeOf('mark.after')} order by created_at, next.id limit 1)
                       end as next) following
        where id = $1 and attempts = ${PUT_ASIDE_AFTER} and next is not null`,
      [id],
    );
  });
}

/** The pages of a walk through a key: `page` has its rows, `concerned` the customers of these whom the change concerns. */
const pageOf = (page: string, concerned: string, last: string): string => `
  with page as (${page}),
  concerned as (${concerned}),
  marked as (
    insert into customer_state_marks (team_id, project_id, customer_id, due_at)
    select $1, $2, customer_id, statement_timestamp() from concerned)
  select (select count(*) from page)::int as count, (select ${last} limit 1) as last`;

const SUBSCRIPTIONS = pageOf(
  `select id, customer_id, status, pause_behavior, items, created_at from subscriptions
    where team_id = $1 and project_id = $2
      and (created_at, id) > ${placeOf('$3::text')}
    order by created_at, id limit $4`,
  `select distinct customer_id from page
    where case when coalesce($5, $6::text) is null then status = 'past_due' or pause_behavior is not null
          else status not in ('${ENDED_STATUSES.join(`', '`)}') and exists (
            select from jsonb_to_recordset(items) as item ("priceId" text)
              join price_copies price on price.id = item."priceId" and price.team_id = $1 and price.project_id = $2
             where $5 in (price.id, price.product_id)
                or exists (select from product_feature_copies given
                            where given.team_id = $1 and given.project_id = $2
                              and given.owner_id in (price.id, price.product_id) and given.key = $6)) end`,
  `id from page order by created_at desc, id desc`,
);

const GRANTS = pageOf(
  `select customer_id, key from grant_copies
    where team_id = $1 and project_id = $2 and customer_id > $3 order by customer_id, key limit $4`,
  // Of the last one, the page may end before this grant.
  `select distinct customer_id from page join grant_copies given using (customer_id)
    where given.team_id = $1 and given.project_id = $2 and given.key = $5`,
  `customer_id from page order by customer_id desc`,
);

async function goOn(
  tx: EntityManager,
  { id }: SpreadMark,
  next: SpreadMark['walk'],
  after: string | null,
): Promise<void> {
  await executeBound(
    tx,
    `update customer_state_marks set walk = $2, after = $3, attempts = 0, due_at = statement_timestamp() where id = $1`,
    [id, next, after],
  );
}

/** Deletes equal marks that nobody has begun, but for one if this one has been: their changes are seen by what begins later. */
async function deleteEqual(tx: EntityManager, mark: SpreadMark & ProjectScope): Promise<void> {
  const { id, teamId, projectId, ownerId, featureKey } = mark;
  const hasBegun = mark.walk === 'grants' || mark.after !== null;
  await executeBound(
    tx,
    `delete from customer_state_marks
      where ctid = any(array(
              select ctid from customer_state_marks
               where team_id = $1 and customer_id is null and project_id = $2 and owner_id is not distinct from $3
                 and feature_key is not distinct from $4 and walk = 'subscriptions' and after is null and id <> $5
               order by id offset $6 for update skip locked))`,
    [teamId, projectId, ownerId, featureKey, id, hasBegun ? 1 : 0],
  );
}
