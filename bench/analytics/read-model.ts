import type { ProjectScope } from '@billing/contracts/ids';
import { Client } from 'pg';
import { followSubjects } from '../../services/analytics/src/operations/follow-subjects.ts';
import { openDatabase } from '../../services/analytics/src/persistence/database.ts';
import type { Sighting } from '../../services/analytics/src/domain/sighting.ts';

/** So many states are followed in one transaction. */
const BATCH = 2_000;

/** The read model of the system under measurement, with the service's own role. */
export async function openReadModel(databaseUrl: string) {
  await using resources = new AsyncDisposableStack();
  const { em } = resources.adopt(openDatabase(databaseUrl), it => it.close());
  const client = resources.adopt(new Client({ connectionString: databaseUrl }), it => it.end());
  await client.connect();
  const opened = resources.move();

  /** All rows of a project, but for what names it, as one text. */
  const fingerprint = async ({ projectId }: ProjectScope): Promise<string> => {
    const { rows } = await client.query<{ rows: string }>(
      `select concat_ws(' ',
         (select md5(string_agg(concat_ws(' ', kind, id, version, shares, began_at, ended_at), ',' order by kind, id))
            from subjects where project_id = $1),
         (select md5(string_agg(concat_ws(' ', figure, day, amount), ',' order by figure, day))
            from figures where project_id = $1 and amount <> 0),
         (select md5(string_agg(concat_ws(' ', subscription_id, chapters), ',' order by subscription_id))
            from chapters where project_id = $1)) as rows`,
      [projectId],
    );
    return rows[0]?.rows ?? '';
  };

  return {
    /** Puts states in by the path that facts take. */
    async follow(sightings: Iterable<Sighting>): Promise<void> {
      for (const batch of inBatches(sightings)) await em.fork().transactional(tx => followSubjects(tx, batch));
    },

    /**
     * Gives a project the rows of another `copies` times, each copy with ids of its own: a figure is a sum over
     * subjects, and a subject's row follows from its states alone.
     */
    async copy(from: ProjectScope, to: ProjectScope, copies: number): Promise<void> {
      const values = [from.projectId, to.teamId, to.projectId, copies];
      await client.query(
        `insert into subjects (team_id, project_id, generation, kind, id, version, shares, began_at, ended_at)
         select $2, $3, 1, kind, id || 'x' || copy, version, shares, began_at, ended_at
           from subjects, generate_series(1, $4::int) copy where project_id = $1`,
        values,
      );
      await client.query(
        `insert into chapters (team_id, project_id, subscription_id, chapters)
         select $2, $3, subscription_id || 'x' || copy, chapters
           from chapters, generate_series(1, $4::int) copy where project_id = $1`,
        values,
      );
      await client.query(
        `insert into figures (team_id, project_id, generation, figure, day, amount)
         select $2, $3, 1, figure, day, amount * $4::int from figures where project_id = $1`,
        values,
      );
    },

    fingerprint,

    /** What autovacuum would do some minutes after so many rows were written. */
    async settle(): Promise<void> {
      await client.query('vacuum (analyze) subjects, figures, chapters, projects');
    },

    async sizes({ projectId }: ProjectScope) {
      const { rows } = await client.query<{ customers: string; subscriptions: string; figures: string }>(
        `select (select count(*) from subjects where project_id = $1 and kind = 'customer') as customers,
                (select count(*) from subjects where project_id = $1 and kind = 'subscription') as subscriptions,
                (select count(*) from figures where project_id = $1) as figures`,
        [projectId],
      );
      return {
        customers: Number(rows[0]?.customers),
        subscriptions: Number(rows[0]?.subscriptions),
        figures: Number(rows[0]?.figures),
      };
    },

    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function* inBatches(sightings: Iterable<Sighting>): Generator<Sighting[]> {
  let batch: Sighting[] = [];
  for (const sighting of sightings) {
    batch.push(sighting);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export type ReadModel = Awaited<ReturnType<typeof openReadModel>>;
