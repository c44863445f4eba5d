import { ProjectId, TeamId } from '@billing/contracts/ids';
import { EVENT_API_VERSION } from '@billing/contracts/resources/event';
import { findAdminUrl, findMasterKeys } from '@billing/local-system/running-system';
import { planBillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import type { Client } from 'pg';
import { seal } from '../../packages/processor/src/credentials.ts';
import { openKeyRing } from '../../packages/processor/src/key-ring.ts';
import { newEndpointSecret } from '../../services/webhooks/src/outgoing/sent-signature.rules.ts';
import { connectTo } from '../database.ts';
import { startBenchSystem, type BenchSystem } from '../load/bench-system.ts';
import { poll } from '../poll.ts';
import { newTenant } from '../tenant.ts';
import { startOwner } from './owner.ts';
import { changesOf, planProjects, type LiveProject, type ProjectRef, type Side } from './side.ts';

const LIVE_CUSTOMERS = 10;

/** Our side: a whole system, with its database. */
export interface Billing extends Side, AsyncDisposable {
  readonly bench: BenchSystem;
}

/** Starts a whole system whose webhooks service may post to this machine. */
export async function startBilling(): Promise<Billing> {
  await using resources = new AsyncDisposableStack();
  const bench = resources.use(await startBenchSystem({ planPrograms }));
  const database = resources.use(await connectTo(findAdminUrl(bench.dataDir)));
  const owner = resources.use(await startOwner(bench.dataDir));
  const keyRing = openKeyRing(`file:${findMasterKeys(bench.dataDir)}`);

  const addEndpoints = async (projects: readonly ProjectRef[], urlOf: (endpoint: string) => string) => {
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
         select id, "teamId", "projectId", url, '{*}', 50, false, $2, 'enabled', 0, false, 0, 0, now(), now() from given)
       insert into webhooks.endpoint_secrets (id, team_id, endpoint_id, sealed_secret, last4, created_at)
       select id, "teamId", id, sealed, last4, now() from given`,
      [JSON.stringify(rows), EVENT_API_VERSION],
    );
  };
  const running = resources.move();
  return {
    bench,
    async newProjects(endpoints, receiverUrl) {
      const projects = planProjects(endpoints);
      await addEndpoints(projects, id => `${receiverUrl}/${id}`);
      return projects;
    },
    async change(projects, each) {
      for (const project of projects)
        for (const changes of changesOf(project, each)) await owner.commit(project, changes);
    },
    async newLiveProjects(endpoints, urlOf) {
      const projects: LiveProject[] = [];
      for (const { endpoints: ids } of planProjects(endpoints)) {
        const { teamId, projectId, billing } = await newTenant(bench.system);
        const customers = await Promise.all(
          Array.from({ length: LIVE_CUSTOMERS }, () =>
            billing.customers.create({ email: `${crypto.randomUUID()}@example.com` }),
          ),
        );
        let changes = 0;
        projects.push({
          teamId: TeamId.schema.parse(teamId),
          projectId: ProjectId.schema.parse(projectId),
          endpoints: ids,
          async changeOne() {
            const customer = customers[changes % customers.length];
            changes += 1;
            if (customer) await billing.customers.update(customer.id, { name: `Ada ${changes}` });
          },
        });
      }
      await poll(() => isRecorded(database), 'the customers to be recorded');
      const ids = projects.flatMap(project => project.endpoints);
      await addEndpoints(projects, id => urlOf(ids.indexOf(id)));
      await database.query(
        `update webhooks.webhook_endpoints e set position = p.position, wanted_position = p.position
           from webhooks.event_positions p
          where (p.team_id, p.project_id) = (e.team_id, e.project_id) and e.id = any($1)`,
        [ids],
      );
      return projects;
    },
    pause: projects =>
      disable(
        database,
        projects.flatMap(({ endpoints }) => endpoints),
      ),
    untilWaiting: () => poll(() => isRecorded(database), 'all changes to be recorded'),
    async resume(projects) {
      await enable(
        database,
        projects.flatMap(({ endpoints }) => endpoints),
        { missed: true },
      );
    },
    include: (endpoint, isIncluded) =>
      isIncluded ? enable(database, [endpoint], { missed: false }) : disable(database, [endpoint]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** As the API disables endpoints. */
async function disable(database: Client, endpoints: readonly string[]): Promise<void> {
  await database.query(
    `update webhooks.webhook_endpoints
        set status = 'disabled', disabled_reason = 'manual', due_at = null, lease_id = null, updated_at = now()
      where id = any($1)`,
    [endpoints],
  );
}

/** As the API enables endpoints; they get what they missed, or not. */
async function enable(
  database: Client,
  endpoints: readonly string[],
  { missed }: { readonly missed: boolean },
): Promise<void> {
  await database.query(
    `update webhooks.webhook_endpoints e
        set status = 'enabled', disabled_reason = null, due_at = now(), updated_at = now(), failures = 0, failing_since = null,
            wanted_position = p.position, position = case when $2 then e.position else p.position end
       from webhooks.event_positions p
      where (p.team_id, p.project_id) = (e.team_id, e.project_id) and e.id = any($1)`,
    [endpoints, missed],
  );
}

async function planPrograms(inputs: PlanInputs) {
  const programs = await planBillingPrograms(inputs);
  const services = programs.services.map(it =>
    it.name === 'webhooks'
      ? { ...it, env: { ...it.env, WEBHOOKS_ALLOW_ADDRESSES: '127.0.0.0/8', WEBHOOKS_DELIVERIES_PER_SECOND: '100000' } }
      : it,
  );
  return { ...programs, services };
}

/** Whether every change in the outbox has been published and recorded. */
async function isRecorded(database: Client): Promise<boolean> {
  const { rows } = await database.query<{ published: string; recorded: string; waiting: string }>(
    `select sum(events) filter (where due_at is null) as published, count(*) filter (where due_at is not null) as waiting,
            (select count(*) from webhooks.events where object_type = 'customer') as recorded
       from customers.outbox_messages where type like 'record.customer.%'`,
  );
  return rows[0]?.waiting === '0' && rows[0].published === rows[0].recorded;
}
