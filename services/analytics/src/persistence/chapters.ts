import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';
import { z } from 'zod';
import type { Chapter } from '#domain/chapters.ts';

/** A subscription of a project of the team. */
export interface ChaptersKey extends ProjectScope {
  readonly id: string;
}

/** `[from, to, recorded, started, ended, worth]`; times are milliseconds since 1970. */
const storedChapter = z
  .tuple([z.int(), z.int(), z.int(), z.int(), z.int().nullable(), z.array(z.tuple([z.string(), z.int(), z.string()]))])
  .transform(([from, to, recorded, started, ended, worth]): Chapter => ({
    from,
    to,
    recordedAt: new Date(recorded),
    startedAt: new Date(started),
    endedAt: ended === null ? null : new Date(ended),
    worth: worth.map(([currency, intervalCount, numerator]) => ({
      currency,
      intervalCount,
      numerator: BigInt(numerator),
    })),
  }));
const storedChapters = z.array(storedChapter);

const stored = ({ from, to, recordedAt, startedAt, endedAt, worth }: Chapter): z.input<typeof storedChapter> => [
  from,
  to,
  recordedAt.getTime(),
  startedAt.getTime(),
  endedAt?.getTime() ?? null,
  worth.map(({ currency, intervalCount, numerator }) => [currency, intervalCount, `${numerator}`]),
];

interface Row {
  readonly project_id: ProjectId;
  readonly subscription_id: string;
  readonly chapters: unknown;
}

/** The chapters of those subscriptions that have any, by `chaptersKey`. */
export async function readChapters(
  tx: EntityManager,
  keys: readonly ChaptersKey[],
): Promise<Map<string, readonly Chapter[]>> {
  if (keys.length === 0) return new Map();
  const rows = await executeBound<Row>(
    tx,
    `select c.project_id, c.subscription_id, c.chapters
       from jsonb_to_recordset($1::jsonb) as k ("teamId" text, "projectId" text, id text)
       join chapters c on c.team_id = k."teamId" and c.project_id = k."projectId" and c.subscription_id = k.id`,
    [JSON.stringify(keys.map(({ teamId, projectId, id }) => ({ teamId, projectId, id })))],
  );
  return new Map(
    rows.map(row => [
      chaptersKey({ projectId: row.project_id, id: row.subscription_id }),
      storedChapters.parse(row.chapters),
    ]),
  );
}

/** Tells one subscription's chapters from another's; projects of two teams are never the same. */
export const chaptersKey = ({ projectId, id }: { readonly projectId: string; readonly id: string }): string =>
  `${projectId} ${id}`;

/** Writes the chapters of subscriptions in the caller's transaction, which holds their projects. */
export async function keepChapters(
  tx: EntityManager,
  written: readonly (ChaptersKey & { readonly chapters: readonly Chapter[] })[],
): Promise<void> {
  if (written.length === 0) return;
  const rows = written.map(({ teamId, projectId, id, chapters }) => ({
    teamId,
    projectId,
    id,
    chapters: chapters.map(stored),
  }));
  await executeBound(
    tx,
    `insert into chapters (team_id, project_id, subscription_id, chapters)
     select "teamId", "projectId", id, chapters
       from jsonb_to_recordset($1::jsonb) as it ("teamId" text, "projectId" text, id text, chapters jsonb)
     on conflict (team_id, project_id, subscription_id) do update set chapters = excluded.chapters`,
    [JSON.stringify(rows)],
  );
}
