import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import { changesOf, planProjects, type Side } from './side.ts';
import { QUEUE } from './team-built-queue.ts';

const DATABASE = 'team_built';

/** What a good team builds itself: a pg-boss job for each event and endpoint, in the transaction of the change. */
export interface TeamBuilt extends Side, AsyncDisposable {
  /** Connects to its database. */
  readonly database: Client;
}

/** Creates its database on this server, and starts its worker in a process of its own. */
export async function startTeamBuilt(adminUrl: string): Promise<TeamBuilt> {
  await using resources = new AsyncDisposableStack();
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${DATABASE}`).finally(() => admin.end());
  const databaseUrl = new URL(adminUrl);
  databaseUrl.pathname = `/${DATABASE}`;
  const database = resources.adopt(new Client({ connectionString: databaseUrl.href }), it => it.end());
  await database.connect();
  await database.query(`
    create table endpoints (id text primary key, project_id text not null, url text not null, secret text not null);
    create index endpoints_project on endpoints (project_id);
    create table events (id text primary key, project_id text not null, type text not null, body text not null,
                         created_at timestamptz not null default now())`);
  const boss = resources.adopt(new PgBoss({ connectionString: databaseUrl.href, supervise: false }), it => it.stop());
  boss.on('error', err => console.error(err));
  await boss.start();
  // Ten attempts within three days, as ours.
  const retries = { retryLimit: 9, retryDelay: 300, retryBackoff: true, retryDelayMax: 86_400 };
  await boss.createQueue(QUEUE, { ...retries, expireInSeconds: 60, notify: true });
  const transaction = { executeSql: (text: string, values?: unknown[]) => database.query(text, values) };

  let worker = await startWorker(databaseUrl.href);
  resources.defer(() => worker[Symbol.asyncDispose]());
  const running = resources.move();
  return {
    database,
    async newProjects(endpoints, receiverUrl) {
      const projects = planProjects(endpoints);
      const rows = projects.flatMap(({ projectId, endpoints: ids }) =>
        ids.map(id => ({
          id,
          project_id: projectId,
          url: `${receiverUrl}/${id}`,
          secret: `whsec_${randomBytes(32).toString('base64')}`,
        })),
      );
      await database.query('insert into endpoints select * from json_populate_recordset(null::endpoints, $1)', [
        JSON.stringify(rows),
      ]);
      return projects;
    },
    async change(projects, each) {
      for (const project of projects)
        for (const changes of changesOf(project, each)) {
          const { teamId, projectId, endpoints } = project;
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
          const jobs = events.flatMap(({ id }) => endpoints.map(endpointId => ({ data: { eventId: id, endpointId } })));
          await boss.insert(QUEUE, jobs, { db: transaction });
          await database.query('commit');
        }
    },
    async pause() {
      await worker[Symbol.asyncDispose]();
    },
    async resume() {
      worker = await startWorker(databaseUrl.href);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startWorker(databaseUrl: string): Promise<AsyncDisposable> {
  const worker = fork(join(import.meta.dirname, 'team-built-worker.ts'), [databaseUrl], {
    execArgv: ['--max-old-space-size=256'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error('The worker did not start.')));
  await Promise.race([once(worker, 'message'), ended]);
  ended.catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      if (worker.exitCode === null && worker.kill()) await once(worker, 'exit');
    },
  };
}
