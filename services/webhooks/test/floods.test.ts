import { ProjectId } from '@billing/contracts/ids';
import { processorEvent } from '@billing/contracts/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WINDOW as TEAM_WINDOW } from '../src/pipeline/lease.ts';
import { completed, customerCreated } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated, newStripeCustomer } from './stripe-events.ts';

/** What a team may have on the bus. */
const { ofTeam: WINDOW } = TEAM_WINDOW;
const HALF = WINDOW / 2;

let service: WebhooksService;
let team: Team;
beforeEach(async () => {
  service = await startWebhooks({ run: false });
  team = await service.newTeam();
  await service.sql('insert into project_copies values (?, ?)', [team.teamId, team.projectId]);
});
afterEach(() => service[Symbol.asyncDispose]());

/** Stores events of as many customers, all due, as a flood leaves them that came faster than they could be processed. */
async function storeFlood(event: ReturnType<typeof customerUpdated>, count: number): Promise<void> {
  await service.send(team, event);
  const { id } = event.data.object;
  await service.sql(
    `insert into webhook_events select flood.*
       from webhook_events e, generate_series(2, ?) n,
            lateral jsonb_populate_record(e, jsonb_build_object(
              'id', 'evt_flood_' || n, 'payload', replace(e.payload::text, ?, ? || n)::jsonb)) flood
      where e.team_id = ?`,
    [count, id, id, team.teamId],
  );
  await service.sql('update webhook_events set due_at = clock_timestamp(), lease_id = null');
}

/** The ids of the team's published events, one for each project that an event went to. */
const published = () =>
  service.received
    .filter(({ teamId, type }) => teamId === team.teamId && type === processorEvent('customer.updated').name)
    .map(({ data }) => String(Reflect.get(Object(data), 'eventId')));
const waitForPublished = (count: number) =>
  waitFor(() => published().length >= count, { what: `${count} events to be published` });

/** Sends an event of another team, and waits until it is published. */
async function publishOfOther() {
  const other = await service.newTeam();
  const event = customerUpdated(other.projectId);
  await service.send(other, event);
  const [publication] = await service.waitForPublications(event.id);
  return publication;
}

it('S33: publishes another team’s event while a flood waits, and of the flood no more than its team may have on the bus', async () => {
  await storeFlood(customerUpdated(team.projectId), 3_000);
  await service.run();
  await waitForPublished(WINDOW);
  expect(await publishOfOther()).toBeDefined();
  expect(published()).toHaveLength(WINDOW);

  const complete = published().slice(0, HALF);
  await service.emit(...complete.map(eventId => completed(team, eventId)));
  await waitForPublished(WINDOW + HALF);
  expect(new Set(published()).size).toBe(WINDOW + HALF);
});

it('makes room for events that another copy has completed', async () => {
  await storeFlood(customerUpdated(team.projectId), 2 * WINDOW);
  await service.run();
  await waitForPublished(WINDOW);
  const complete = published().slice(0, HALF);
  await service.sql(
    `update webhook_events set status = 'processed', due_at = null, lease_id = null, awaiting = '{}' where id = any(?)`,
    [complete],
  );
  await waitForPublished(WINDOW + HALF);
  expect(new Set(published()).size).toBe(WINDOW + HALF);
});

it('S33: publishes another team’s event while the customers of a flood are looked up at a slow account', async () => {
  await using resources = new AsyncDisposableStack();
  resources.defer(() => service.controlOf(team).clearFaults());
  await service.controlOf(team).fail({ path: '/v1/customers', mode: 'slow', times: 1_000, delayMs: 4_000 });
  await storeFlood(customerUpdated(), 300);
  await service.run();
  expect(await publishOfOther()).toBeDefined();
});

it('S34: sends a customer’s large event to 100 projects as references, and says on its record that it left some out', async () => {
  const customer = newStripeCustomer(undefined, { description: 'x'.repeat(900_000) });
  const projects = Array.from({ length: 300 }, () => ProjectId.create());
  await service.run();
  await service.emit(...projects.map(projectId => customerCreated(team.teamId, projectId, customer.id)));
  const event = newWebhookEvent('customer.updated', customer);
  await service.send(team, event);
  const publications = await service.waitForPublications(event.id, 'customer.updated', 100);
  expect(new Set(publications.map(({ data }) => data.projectId)).size).toBe(100);
  expect(publications.every(({ data }) => data.objectOmitted && JSON.stringify(data.object).length < 100)).toBe(true);

  await service.emit(...publications.map(({ data }) => completed({ ...team, projectId: data.projectId }, event.id)));
  const [{ projectId } = team] = publications.map(({ data }) => data);
  const record = await waitFor(
    async () => {
      const found = await service.recordOf({ teamId: team.teamId, projectId }, event.id);
      return found?.status === 'processed' ? found : undefined;
    },
    { what: 'the event to be processed' },
  );
  expect(record.error).toMatch(/^fan_out_limited: .* 100 projects .* 200 more/);
  expect(service.publicationsOf(event.id)).toHaveLength(100);
});

it('S34: counts an event as often as it is published where it goes to many projects', async () => {
  const customer = newStripeCustomer();
  const projects = Array.from({ length: 100 }, () => ProjectId.create());
  await service.run();
  await service.emit(...projects.map(projectId => customerCreated(team.teamId, projectId, customer.id)));
  for (let index = 0; index < 15; index += 1) await service.send(team, newWebhookEvent('customer.updated', customer));
  await waitForPublished(WINDOW);
  expect(await publishOfOther()).toBeDefined();
  expect(published()).toHaveLength(WINDOW);
  const [first] = published();
  if (first === undefined) throw new Error('Nothing was published.');
  await service.emit(...projects.map(projectId => completed({ ...team, projectId }, first)));
  await waitForPublished(WINDOW + 100);
});
