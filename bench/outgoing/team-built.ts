import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { PgBoss } from 'pg-boss';
import { connectTo, createDatabase } from '../database.ts';
import { startOtherSide } from '../load/other-side.ts';
import { changesOf, customerChange, planProjects, type CustomerChange, type ProjectRef, type Side } from './side.ts';
import { QUEUE } from './team-built-queue.ts';

/** What a good team builds itself: a pg-boss job for each event and endpoint, in the transaction of the change. */
export type TeamBuilt = Side & AsyncDisposable;

/** Creates its database on this server, and starts its worker in a process of its own. */
export async function startTeamBuilt(adminUrl: string): Promise<TeamBuilt> {
  await using resources = new AsyncDisposableStack();
  const databaseUrl = await createDatabase(adminUrl, 'team_built');
  const database = resources.use(await connectTo(databaseUrl));
  await database.query(`
    create table endpoints (id text primary key, project_id text not null, url text not null, secret text not null,
                            is_enabled boolean not null);
    create index endpoints_project on endpoints (project_id);
    create table events (id text primary key, project_id text not null, type text not null, body text not null,
                         created_at timestamptz not null default now())`);
  const boss = resources.adopt(new PgBoss({ connectionString: databaseUrl, supervise: false }), it => it.stop());
  boss.on('error', err => console.error(err));
  await boss.start();
  // Ten attempts within three days, as ours.
  const retries = { retryLimit: 9, retryDelay: 300, retryBackoff: true, retryDelayMax: 86_400 };
  await boss.createQueue(QUEUE, { ...retries, expireInSeconds: 60, notify: true });
  const transaction = { executeSql: (text: string, values?: unknown[]) => database.query(text, values) };

  let worker = await startWorker(databaseUrl);
  resources.defer(() => worker[Symbol.asyncDispose]());
  const running = resources.move();
  const addEndpoints = async (projects: readonly ProjectRef[], urlOf: (id: string) => string) => {
    const rows = projects.flatMap(({ projectId, endpoints }) =>
      endpoints.map(id => ({
        id,
        project_id: projectId,
        url: urlOf(id),
        secret: `whsec_${randomBytes(32).toString('base64')}`,
        is_enabled: true,
      })),
    );
    await database.query('insert into endpoints select * from json_populate_recordset(null::endpoints, $1)', [
      JSON.stringify(rows),
    ]);
  };
  /** Commits changes with their events and jobs. */
  const commit = async ({ teamId, projectId }: ProjectScope, changes: readonly CustomerChange[]) => {
    const events = changes.map(({ at, ...change }) => {
      const id = `ev_${crypto.randomUUID().replaceAll('-', '')}`;
      const body = JSON.stringify({ id, timestamp: at, teamId, projectId, ...change });
      return { id, project_id: projectId, type: change.type, body };
    });
    await database.query('begin');
    await database.query(
      `insert into events (id, project_id, type, body)
       select id, project_id, type, body from json_populate_recordset(null::events, $1)`,
      [JSON.stringify(events)],
    );
    const { rows } = await database.query<{ id: string }>(
      'select id from endpoints where project_id = $1 and is_enabled',
      [projectId],
    );
    const jobs = events.flatMap(event => rows.map(({ id }) => ({ data: { eventId: event.id, endpointId: id } })));
    if (jobs.length > 0) await boss.insert(QUEUE, jobs, { db: transaction });
    await database.query('commit');
  };
  return {
    async newProjects(endpoints, receiverUrl) {
      const projects = planProjects(endpoints);
      await addEndpoints(projects, id => `${receiverUrl}/${id}`);
      return projects;
    },
    async newLiveProjects(endpoints, urlOf) {
      const projects = planProjects(endpoints);
      const ids = projects.flatMap(project => project.endpoints);
      await addEndpoints(projects, id => urlOf(ids.indexOf(id)));
      return projects.map(project => {
        const customer = CustomerId.create();
        let sequence = 0;
        return {
          ...project,
          async changeOne() {
            sequence += 1;
            await commit(project, [customerChange(project.projectId, customer, sequence)]);
          },
        };
      });
    },
    async change(projects, each) {
      for (const project of projects) for (const changes of changesOf(project, each)) await commit(project, changes);
    },
    async pause() {
      await worker[Symbol.asyncDispose]();
    },
    async untilWaiting() {
      // Their jobs were committed with the changes.
    },
    async resume() {
      worker = await startWorker(databaseUrl);
    },
    async include(endpoint, isIncluded) {
      await database.query('update endpoints set is_enabled = $2 where id = $1', [endpoint, isIncluded]);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const startWorker = (databaseUrl: string): Promise<AsyncDisposable> =>
  startOtherSide(join(import.meta.dirname, 'team-built-worker.ts'), [databaseUrl]);
