import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { openBatcher } from '@billing/messaging/batcher';
import { IN_ORDER_FAILURES } from './retry-schedule.rules.ts';
import { toDate, wants, type LeasedEndpoint } from './endpoint-rows.ts';
import type { DeliveryItem } from './send-queue.ts';

/** Positions that are looked through at once for events that an endpoint wants, and deliveries for those that come first. */
const MAX_SCANNED = 5_000;
/** Items that one statement reads at most, of all endpoints together. */
const MAX_ITEMS = 4_000;

/** Where one endpoint goes on. */
export interface Place {
  readonly endpoint: LeasedEndpoint;
  /** How far its events were read. */
  readonly read: number;
  /** Items at most, and bytes of their bodies; one comes whatever its size. */
  readonly limit: number;
  readonly maxBytes: number;
  /** One event is wanted to try a failing endpoint with, due or not. */
  readonly isProbe: boolean;
}

/** What an endpoint is to be sent next. */
export interface NextItems {
  readonly items: readonly DeliveryItem[];
  readonly read: number;
  /** Which calls are taken in with that. */
  readonly calls: number;
  /** There may be more that it could be sent now. */
  readonly hasMore: boolean;
}

/** Reads what endpoints are to be sent next; what several need at the same time takes one statement. */
export const openReader = (em: EntityManager) =>
  openBatcher((places: readonly Place[]) => readNext(em.fork(), places), {
    weigh: ({ limit }) => limit,
    maxWeight: MAX_ITEMS,
  });

interface PlaceRow {
  /** Which of the places. */
  readonly place: number;
  readonly calls: number;
  /** How far there are events, and how far these are looked through. */
  readonly wanted: number;
  readonly upTo: number;
}

interface ItemRow extends PlaceRow, Omit<DeliveryItem, 'isNew' | 'nextAttemptAt' | 'heldUntil'> {
  readonly kind: 'due' | 'new' | 'early';
  /** Its body is within the bytes that were wanted. */
  readonly fits: boolean;
  readonly nextAttemptAt: string | null;
  readonly heldUntil: string | null;
}

/** A place with nothing to send has one row. */
type Row = ItemRow | (PlaceRow & { readonly kind: null });

/**
 * For each place: deliveries that are due, those sent by hand first, then the events behind what was read that the endpoint
 * wants and that have no delivery; each with its body, and with when an earlier event of its object is tried again.
 */
async function readNext(em: EntityManager, places: readonly Place[]): Promise<readonly NextItems[]> {
  const rows = await executeBound<Row>(
    em,
    `with places as materialized (
       select k.*, team_id, project_id, event_types, include_sync, calls, wanted_position,
              least(wanted_position, read + ${MAX_SCANNED}) as up_to
         from json_to_recordset($1::json) as k(place int, id text, read bigint, "limit" int, "maxBytes" int, "isProbe" boolean)
         join webhook_endpoints using (id) where id = any($3::text[])),
     due as (
       select k.place, k.id as endpoint_id, case when d.next_attempt_at <= statement_timestamp() then 'due' else 'early' end as kind,
              d.id, d.created_at, d.position, d.event_id, d.type, d.object_key, d.attempts, d.failures, d.trigger, d.next_attempt_at,
              d.body, d.is_erased, d.size_before < "maxBytes" as fits
         from places k cross join lateral (
              select d.*, e.body, coalesce(e.is_erased, false) as is_erased, ${sizeBefore('d.turn')} as size_before
                from (select *, row_number() over (order by ${DUE_FIRST}) as turn
                        from (select * from webhook_deliveries
                               where endpoint_id = k.id
                                 and next_attempt_at <= case when "isProbe" then 'infinity' else statement_timestamp() end
                               order by next_attempt_at, position limit ${MAX_SCANNED}) waiting
                       order by ${DUE_FIRST} limit k."limit") d
                left join lateral (select body, is_erased from events
                                    where (team_id, project_id, position) = (k.team_id, k.project_id, d.position) limit 1) e on true
              ) d),
     new as (
       select k.place, k.id as endpoint_id, 'new' as kind,
              'whd_' || replace(gen_random_uuid()::text, '-', '') as id, statement_timestamp() as created_at, e.position, e.id as event_id,
              e.type, e.object_type || ' ' || e.object_id as object_key, 0 as attempts, 0 as failures, 'automatic' as trigger,
              null::timestamptz as next_attempt_at, e.body, e.is_erased, e.size_before < "maxBytes" as fits
         from places k cross join lateral (
              select e.*, ${sizeBefore('position')} as size_before
                from events e
               where (team_id, project_id) = (k.team_id, k.project_id) and position > k.read and position <= k.up_to and ${wants('k', 'e')}
                 and position <> all(array(select position from webhook_deliveries where endpoint_id = k.id and position > k.read))
               order by position limit k."limit") e),
     items as materialized (select * from due union all select * from new),
     holding as materialized (
       select endpoint_id, object_key, position, next_attempt_at from webhook_deliveries
        where endpoint_id = any($3::text[]) and next_attempt_at > statement_timestamp() and failures < $2)
     select place, p.calls, p.wanted_position::float8 as wanted, p.up_to::float8 as "upTo", i.kind, i.fits, i.id,
            i.created_at::text as "createdAt", i.position::float8 as position, i.event_id as "eventId", i.type,
            i.object_key as "objectKey", case when i.fits then i.body end as body, i.is_erased as "isErased", i.attempts, i.failures,
            i.trigger, i.next_attempt_at as "nextAttemptAt",
            (select max(next_attempt_at) from holding h
              where (h.endpoint_id, h.object_key) = (i.endpoint_id, i.object_key) and h.position < i.position) as "heldUntil"
       from places p left join items i using (place)`,
    [
      JSON.stringify(places.map(({ endpoint: { id }, ...place }, index) => ({ ...place, place: index, id }))),
      IN_ORDER_FAILURES,
      places.map(({ endpoint: { id } }) => id),
    ],
  );
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return places.map((place, index) => nextOf(place, byPlace.get(index) ?? []));
}

const DUE_FIRST = `next_attempt_at > statement_timestamp(), trigger <> 'manual', position`;

const sizeBefore = (order: string): string =>
  `coalesce(sum(octet_length(body)) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`;

function nextOf({ read, limit, isProbe }: Place, rows: readonly Row[]): NextItems {
  // Of an endpoint that is gone there is none.
  const { calls, wanted, upTo } = rows[0] ?? { calls: 0, wanted: read, upTo: read };
  const items = rows.filter(row => row.kind !== null);
  const of = (kind: ItemRow['kind']) => items.filter(row => row.kind === kind);
  const [due, behind] = [of('due'), of('new')];
  if (isProbe) {
    const [first] = [...due, ...behind, ...of('early')];
    const isPassed = first?.kind === 'new' || behind.length === 0;
    const passed = isPassed ? (behind[0]?.position ?? upTo) : read;
    return { items: first ? [toItem(first)] : [], read: passed, calls, hasMore: first !== undefined };
  }
  const isFull = due.length === limit || due.some(({ fits }) => !fits);
  const events = isFull ? [] : behind.filter(({ fits }) => fits);
  const isWhole = !isFull && events.length === behind.length && behind.length < limit;
  const passed = isWhole ? upTo : Math.max(read, ...events.map(({ position }) => position));
  return {
    items: [...due.filter(({ fits }) => fits), ...events].map(toItem),
    read: passed,
    calls,
    hasMore: isFull || passed < wanted,
  };
}

const toItem = ({ kind, nextAttemptAt, heldUntil, ...row }: ItemRow): DeliveryItem => ({
  ...row,
  isNew: kind === 'new',
  nextAttemptAt: toDate(nextAttemptAt),
  heldUntil: toDate(heldUntil),
});
