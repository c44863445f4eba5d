import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';
import { z } from 'zod';
import type { SubjectKind } from '#domain/sighting.ts';
import type { KnownSubject } from '#domain/subject.ts';
import type { SubjectProject } from './subject.entity.ts';

/** Where a subject's row stands. */
export interface SubjectKey {
  readonly teamId: TeamId;
  readonly projectId: SubjectProject;
  readonly generation: number;
  readonly kind: SubjectKind;
  readonly id: string;
}

export interface SubjectRow extends SubjectKey {
  readonly subject: KnownSubject;
}

/** Whole numbers of any size do not fit JSON's. */
const storedShares = z.array(
  z
    .tuple([z.string(), z.string(), z.string()])
    .transform(([figure, day, amount]) => ({ figure, day, amount: BigInt(amount) })),
);

interface Row {
  readonly team_id: TeamId;
  readonly project_id: SubjectProject;
  readonly generation: number;
  readonly kind: SubjectKind;
  readonly id: string;
  readonly version: number;
  readonly shares: unknown;
  /** Milliseconds since 1970. */
  readonly began_ms: number | null;
  readonly ended_ms: number | null;
}

const COLUMNS = `s.team_id, s.project_id, s.generation, s.kind, s.id, s.version, s.shares,
  (extract(epoch from s.began_at) * 1000)::float8 as began_ms, (extract(epoch from s.ended_at) * 1000)::float8 as ended_ms`;

/** Those of the rows that are there. */
export async function readSubjects(tx: EntityManager, keys: readonly SubjectKey[]): Promise<SubjectRow[]> {
  if (keys.length === 0) return [];
  const rows = await executeBound<Row>(
    tx,
    `select ${COLUMNS}
       from jsonb_to_recordset($1::jsonb) as k ("teamId" text, "projectId" text, generation int, kind text, id text)
       join subjects s on s.team_id = k."teamId" and s.project_id = k."projectId" and s.generation = k.generation
                      and s.kind = k.kind and s.id = k.id`,
    [JSON.stringify(keys)],
  );
  return rows.map(readRow);
}

/**
 * The rows of webhook events, in whatever project and generation. They alone may move from one project to another, so
 * whoever writes theirs takes turns with the others of the team, from here to the end of the transaction.
 */
export async function holdWebhookEvents(
  tx: EntityManager,
  events: readonly { readonly teamId: TeamId; readonly id: string }[],
): Promise<SubjectRow[]> {
  if (events.length === 0) return [];
  const teams = [...new Set(events.map(({ teamId }) => teamId))].toSorted();
  for (const teamId of teams)
    await tx.execute(`select pg_advisory_xact_lock(hashtextextended(? || ' webhook-events', 0))`, [teamId]);
  const rows = await executeBound<Row>(
    tx,
    `select ${COLUMNS}
       from jsonb_to_recordset($1::jsonb) as k ("teamId" text, id text)
       join subjects s on s.team_id = k."teamId" and s.id = k.id and s.kind = 'webhook-event'`,
    [JSON.stringify(events.map(({ teamId, id }) => ({ teamId, id })))],
  );
  return rows.map(readRow);
}

/** Writes rows in the caller's transaction, which holds their projects. */
export async function keepSubjects(tx: EntityManager, rows: readonly SubjectRow[]): Promise<void> {
  if (rows.length === 0) return;
  const stored = rows.map(({ subject: { version, shares, lifetime }, ...key }) => ({
    ...key,
    version,
    shares: shares.map(({ figure, day, amount }) => [figure, day, `${amount}`]),
    beganAt: lifetime?.beganAt ?? null,
    endedAt: lifetime?.endedAt ?? null,
  }));
  await executeBound(
    tx,
    `insert into subjects (team_id, project_id, generation, kind, id, version, shares, began_at, ended_at)
     select "teamId", "projectId", generation, kind, id, version, shares, "beganAt", "endedAt"
       from jsonb_to_recordset($1::jsonb) as
            it ("teamId" text, "projectId" text, generation int, kind text, id text, version int, shares jsonb,
                "beganAt" timestamptz, "endedAt" timestamptz)
     on conflict (team_id, project_id, generation, kind, id) do update
        set version = excluded.version, shares = excluded.shares,
            began_at = excluded.began_at, ended_at = excluded.ended_at`,
    [JSON.stringify(stored)],
  );
}

function readRow(row: Row): SubjectRow {
  const { team_id: teamId, project_id: projectId, generation, kind, id, version } = row;
  const lifetime = row.began_ms === null ? null : { beganAt: new Date(row.began_ms), endedAt: instant(row.ended_ms) };
  return {
    teamId,
    projectId,
    generation,
    kind,
    id,
    subject: { version, shares: storedShares.parse(row.shares), lifetime },
  };
}

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** How many subjects the rows of a project that are shown are made of. */
export async function countSubjects(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<number> {
  const [row] = await em.fork().execute<{ count: number }[]>(
    `select count(*)::int as count from subjects s join projects p using (team_id, project_id, generation)
      where p.team_id = ? and p.project_id = ?`,
    [teamId, projectId],
  );
  return row?.count ?? 0;
}
