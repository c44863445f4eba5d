import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Point } from '#domain/lived-state.ts';
import { groupByKey, milliseconds, numberColumn, textColumn } from './columns.ts';
import type { RecordKey } from './tracked-records.ts';

/**
 * Adds to what was shown of subscriptions, in the caller's transaction, which must have locked their projects. Returns the
 * keys of those of which something was not known.
 */
export async function addPoints(
  tx: EntityManager,
  shown: readonly { readonly key: RecordKey; readonly points: readonly Point[] }[],
): Promise<ReadonlySet<RecordKey>> {
  const rows = shown.flatMap(({ key, points }) => points.map(point => ({ key, point })));
  if (rows.length === 0) return new Set();
  const added = await executeBound<{ name: string }>(
    tx,
    `insert into subscription_points (team_id, project_id, generation, subscription_id, shown_at, shown_by, digest, state)
     select team_id, project_id, generation, subscription_id, to_timestamp(ms / 1000), shown_by, digest, state
       from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::float8[], $6::int[], $7::text[], $8::text[])
              as it (team_id, project_id, generation, subscription_id, ms, shown_by, digest, state)
         on conflict do nothing
     returning project_id || ' ' || generation || ' ' || subscription_id as name`,
    [
      textColumn(rows, ({ key }) => key.teamId),
      textColumn(rows, ({ key }) => key.projectId),
      numberColumn(rows, ({ key }) => key.generation),
      textColumn(rows, ({ key }) => key.id),
      numberColumn(rows, ({ point }) => point.at),
      numberColumn(rows, ({ point }) => point.by),
      textColumn(rows, ({ point }) => digestOf(point.state)),
      textColumn(rows, ({ point }) => point.state),
    ],
  );
  const names = new Set(added.map(({ name }) => name));
  return new Set(shown.flatMap(({ key }) => (names.has(`${key.projectId} ${key.generation} ${key.id}`) ? [key] : [])));
}

interface PointRow extends Pick<Point, 'by' | 'state'> {
  readonly key: number;
  readonly ms: number;
}

/** Reads all that was shown of each of the subscriptions. */
export async function readPoints(
  tx: EntityManager,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<RecordKey, readonly Point[]>> {
  if (keys.length === 0) return new Map();
  const rows = await executeBound<PointRow>(
    tx,
    `select key::int, round(${milliseconds('shown_at')}) as ms, shown_by as by, state
       from unnest($1::text[], $2::text[], $3::int[], $4::text[])
            with ordinality as k (team_id, project_id, generation, subscription_id, key)
      cross join lateral (
            select * from subscription_points p
             where p.team_id = k.team_id and p.project_id = k.project_id and p.generation = k.generation
               and p.subscription_id = k.subscription_id limit all offset 0) p`,
    [
      textColumn(keys, it => it.teamId),
      textColumn(keys, it => it.projectId),
      numberColumn(keys, it => it.generation),
      textColumn(keys, it => it.id),
    ],
  );
  const groups = groupByKey(keys, rows);
  const toPoint = ({ ms, by, state }: PointRow): Point => ({ at: ms, by, state });
  return new Map(keys.map(key => [key, (groups.get(key) ?? []).map(toPoint)]));
}

/** 132 bits, which tell the states of one second apart. */
const digestOf = (state: string): string => hash('sha256', state, 'base64url').slice(0, 22);
