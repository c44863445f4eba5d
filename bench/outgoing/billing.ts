import type { ProjectScope } from '@billing/contracts/ids';
import { EVENT_API_VERSION } from '@billing/contracts/resources/event';
import { findAdminUrl, findMasterKeys } from '@billing/local-system/running-system';
import { planBillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { Client } from 'pg';
import { seal } from '../../packages/processor/src/credentials.ts';
import { openKeyRing } from '../../packages/processor/src/key-ring.ts';
import { newEndpointSecret } from '../../services/webhooks/src/domain/sent-signature.ts';
import { startBenchSystem, type BenchSystem } from '../load/bench-system.ts';
import { poll } from '../poll.ts';
import { changesOf, planProjects, type ProjectRef, type Side } from './side.ts';

/** Our side: a whole system, with its database. */
export interface Billing extends Side, AsyncDisposable {
  readonly bench: BenchSystem;
  /** Connects PostgreSQL's superuser. */
  readonly database: Client;
  /** Adds endpoints to a project. */
  addEndpoints(projects: readonly ProjectRef[], urlOf: (endpoint: string) => string): Promise<void>;
}

/** Starts a whole system whose webhooks service may post to this machine. */
export async function startBilling(): Promise<Billing> {
  await using resources = new AsyncDisposableStack();
  const bench = resources.use(await startBenchSystem({ planPrograms }));
  const database = resources.adopt(new Client({ connectionString: findAdminUrl(bench.dataDir) }), it => it.end());
  await database.connect();
  const keyRing = openKeyRing(`file:${findMasterKeys(bench.dataDir)}`);

  const addEndpoints: Billing['addEndpoints'] = async (projects, urlOf) => {
    const rows = projects.flatMap(({ teamId, projectId, endpoints }) =>
      endpoints.map(id => {
        const secret = newEndpointSecret();
        const sealed = seal(keyRing(), { teamId, kind: `endpoint-secret-${id}` }, secret);
        return { id, teamId, projectId, url: urlOf(id), sealed, last4: secret.slice(-4) };
      }),
    );
    await database.query(
      `with given as (
         select * from json_to_recordset($1::json)
           as r(id text, "teamId" text, "projectId" text, url text, sealed text, last4 text)),
       endpoints as (
         insert into webhooks.webhook_endpoints
           (id, team_id, project_id, url, event_types, max_concurrency, include_sync, api_version, status, failures,
            has_failed_two_objects, position, wanted_position, created_at, updated_at)
         select id, "teamId", "projectId", url, '{*}', 10, false, $2, 'enabled', 0, false, 0, 0, now(), now() from given)
       insert into webhooks.endpoint_secrets (id, team_id, endpoint_id, sealed_secret, last4, created_at)
       select id, "teamId", id, sealed, last4, now() from given`,
      [JSON.stringify(rows), EVENT_API_VERSION],
    );
  };
  const running = resources.move();
  return {
    bench,
    database,
    addEndpoints,
    async newProjects(endpoints, receiverUrl) {
      const projects = planProjects(endpoints);
      await addEndpoints(projects, id => `${receiverUrl}/${id}`);
      return projects;
    },
    async change(projects, each) {
      for (const project of projects)
        for (const changes of changesOf(project, each)) await publish(database, project, changes);
    },
    async pause(projects) {
      await database.query(
        `update webhooks.webhook_endpoints set status = 'disabled', disabled_reason = 'manual', due_at = null, lease_id = null
          where id = any($1)`,
        [projects.flatMap(({ endpoints }) => endpoints)],
      );
    },
    async resume(projects) {
      await poll(() => isRecorded(database), 'all changes to be recorded');
      await database.query(
        `update webhooks.webhook_endpoints e
            set status = 'enabled', disabled_reason = null, due_at = now(), updated_at = now(),
                wanted_position = coalesce((select position from webhooks.event_positions p
                                             where (p.team_id, p.project_id) = (e.team_id, e.project_id)), 0)
          where id = any($1)`,
        [projects.flatMap(({ endpoints }) => endpoints)],
      );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function planPrograms(inputs: PlanInputs) {
  const programs = await planBillingPrograms(inputs);
  const services = programs.services.map(it =>
    it.name === 'webhooks' ? { ...it, env: { ...it.env, WEBHOOKS_ALLOW_ADDRESSES: '127.0.0.0/8' } } : it,
  );
  return { ...programs, services };
}

/** Commits changes as the customers service does: they are in its outbox, and its relay publishes them. */
async function publish(
  database: Client,
  { teamId, projectId }: ProjectScope,
  changes: readonly object[],
): Promise<void> {
  const events = changes.map(change => JSON.stringify({ projectId, ...change }));
  await database.query(
    `insert into customers.outbox_events (id, type, team_id, data, data_bytes, trace, occurred_at, due_at)
     select gen_random_uuid(), 'resource.changed.v1', $1, data::json, octet_length(data), '{}', now(), clock_timestamp()
       from unnest($2::text[]) as data`,
    [teamId, events],
  );
}

/** Whether every change in the outbox has been published and recorded. */
async function isRecorded(database: Client): Promise<boolean> {
  const { rows } = await database.query<{ published: string; recorded: string; waiting: string }>(
    `select count(*) filter (where due_at is null) as published, count(*) filter (where due_at is not null) as waiting,
            (select count(*) from webhooks.events where object_type = 'customer') as recorded
       from customers.outbox_events where type = 'resource.changed.v1'`,
  );
  return rows[0]?.waiting === '0' && rows[0].published === rows[0].recorded;
}
