import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { z } from 'zod';
import type { RecordKind } from '#domain/observation.ts';
import type { CountedState } from '#domain/tracked-record.ts';
import type { ProjectIdOrNone } from './tracked-record.entity.ts';

/** Primary key of a tracked record's row. */
export interface RecordKey {
  readonly teamId: TeamId;
  readonly projectId: ProjectIdOrNone;
  readonly generation: number;
  readonly kind: RecordKind;
  readonly id: string;
}

export interface RecordRow extends RecordKey {
  readonly state: CountedState;
}

/** Amounts are stored as text, as they can exceed the numbers of JSON. */
const storedContributions = z.array(
  z
    .tuple([z.string(), z.string(), z.string()])
    .transform(([metric, bucket, amount]) => ({ metric, bucket, amount: BigInt(amount) })),
);

interface Row {
  readonly team_id: TeamId;
  readonly project_id: ProjectIdOrNone;
  readonly generation: number;
  readonly kind: RecordKind;
  readonly id: string;
  readonly version: number;
  readonly contributions: unknown;
  /** Milliseconds since 1970. */
  readonly started_ms: number | null;
  readonly ended_ms: number | null;
}

const COLUMNS = `r.team_id, r.project_id, r.generation, r.kind, r.id, r.version, r.contributions,
  (extract(epoch from r.started_at) * 1000)::float8 as started_ms,
  (extract(epoch from r.ended_at) * 1000)::float8 as ended_ms`;

/** Reads the rows that exist among the keys. */
export async function readTrackedRecords(tx: EntityManager, keys: readonly RecordKey[]): Promise<RecordRow[]> {
  if (keys.length === 0) return [];
  const rows = await executeBound<Row>(
    tx,
    `select ${COLUMNS}
       from jsonb_to_recordset($1::jsonb) as k ("teamId" text, "projectId" text, generation int, kind text, id text)
       join tracked_records r on r.team_id = k."teamId" and r.project_id = k."projectId"
                             and r.generation = k.generation and r.kind = k.kind and r.id = k.id`,
    [JSON.stringify(keys)],
  );
  return rows.map(toRecordRow);
}

/**
 * Reads the rows of webhook events in every project and generation. Only webhook events can move from one project to
 * another, so their writers are serialized per team from here to the end of the transaction.
 */
export async function lockWebhookEvents(
  tx: EntityManager,
  events: readonly { readonly teamId: TeamId; readonly id: string }[],
): Promise<RecordRow[]> {
  if (events.length === 0) return [];
  const teams = [...new Set(events.map(({ teamId }) => teamId))].toSorted();
  for (const teamId of teams)
    await tx.execute(`select pg_advisory_xact_lock(hashtextextended(? || ' webhook-events', 0))`, [teamId]);
  const rows = await executeBound<Row>(
    tx,
    `select ${COLUMNS}
       from jsonb_to_recordset($1::jsonb) as k ("teamId" text, id text)
       join tracked_records r on r.team_id = k."teamId" and r.id = k.id and r.kind = 'webhook-event'`,
    [JSON.stringify(events.map(({ teamId, id }) => ({ teamId, id })))],
  );
  return rows.map(toRecordRow);
}

/** Saves rows in the caller's transaction, which must have locked their projects. */
export async function saveTrackedRecords(tx: EntityManager, records: readonly RecordRow[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(
    ({ teamId, projectId, generation, kind, id, state: { version, contributions, lifetime } }) => ({
      teamId,
      projectId,
      generation,
      kind,
      id,
      version,
      contributions: contributions.map(({ metric, bucket, amount }) => [metric, bucket, `${amount}`]),
      startedAt: lifetime?.startedAt ?? null,
      endedAt: lifetime?.endedAt ?? null,
    }),
  );
  await executeBound(
    tx,
    `insert into tracked_records (team_id, project_id, generation, kind, id, version, contributions, started_at, ended_at)
     select "teamId", "projectId", generation, kind, id, version, contributions, "startedAt", "endedAt"
       from jsonb_to_recordset($1::jsonb) as
            it ("teamId" text, "projectId" text, generation int, kind text, id text, version int, contributions jsonb,
                "startedAt" timestamptz, "endedAt" timestamptz)
     on conflict (team_id, project_id, generation, kind, id) do update
        set version = excluded.version, contributions = excluded.contributions,
            started_at = excluded.started_at, ended_at = excluded.ended_at`,
    [JSON.stringify(rows)],
  );
}

function toRecordRow(row: Row): RecordRow {
  const { team_id: teamId, project_id: projectId, generation, kind, id, version } = row;
  const { started_ms: started, ended_ms: ended } = row;
  const lifetime =
    started === null ? null : { startedAt: new Date(started), endedAt: ended === null ? null : new Date(ended) };
  const contributions = storedContributions.parse(row.contributions);
  return { teamId, projectId, generation, kind, id, state: { version, contributions, lifetime } };
}

/** The number of tracked records in the current generation of a project. */
export async function countTrackedRecords(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<number> {
  const [row] = await em.fork().execute<{ count: number }[]>(
    `select count(*)::int as count from tracked_records join projects p using (team_id, project_id, generation)
      where p.team_id = ? and p.project_id = ?`,
    [teamId, projectId],
  );
  return row?.count ?? 0;
}
