import { CustomerCreated, CustomerDeleted } from '@billing/contracts/events/customers';
import { ProjectCreated } from '@billing/contracts/events/gateway';
import { ProjectId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { customerState, listen, tell } from './bus.ts';
import { aCustomer, anEvent, startService, type Service } from './service.ts';

let service: Service;
let bus: ReturnType<typeof listen>;

beforeAll(async () => {
  service = await startService();
  bus = listen(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const routesOf = (processorId: string) =>
  service.admin.query('select * from webhooks.routes where processor_id = $1', [processorId]).then(found => found.rows);

it('follows the metadata of the object itself', async () => {
  const team = await service.newTeam();
  const customer = aCustomer(team.projectId);
  const previous = { email: 'old@example.com' };
  const event = anEvent('customer.updated', customer, { data: { object: customer, previous_attributes: previous } });
  await service.send(team, event);

  const [fact] = await bus.waitForFacts(event.id, 'customer.updated');
  expect(fact).toMatchObject({ teamId: team.teamId });
  expect(fact?.data).toEqual({
    eventId: event.id,
    projectId: team.projectId,
    apiVersion: event.api_version,
    livemode: false,
    createdAt: new Date(event.created * 1_000),
    routedBy: 'object-metadata',
    object: customer,
    previousAttributes: previous,
  });
  expect(await service.recordOf(team, event.id)).toMatchObject({
    status: 'received',
    projectId: team.projectId,
    routedBy: 'object-metadata',
    objectId: customer.id,
    processedAt: null,
  });
});

it('asks for nothing it has heard: a project told on the bus needs no question', async () => {
  const team = await service.newTeam();
  const id = ProjectId.create();
  const state = { id, teamId: team.teamId, name: 'Told', baseCurrency: 'usd', createdAt: new Date(), version: 1 };
  await tell(service, ProjectCreated, team.teamId, state);
  const event = anEvent('product.updated', { id: 'prod_1', object: 'product', metadata: { projectId: id } });
  await waitFor(
    () =>
      service.admin
        .query('select 1 from webhooks.known_projects where project_id = $1', [id])
        .then(found => found.rowCount),
    { what: 'the project to be known' },
  );
  await service.send(team, event);
  expect((await bus.waitForFacts(event.id, 'product.updated'))[0]?.data.projectId).toBe(id);
});

it.each([
  [
    'since 2025-03-31',
    (metadata: object) => ({ parent: { subscription_details: { metadata, subscription: 'sub_1' } } }),
  ],
  ['before', (metadata: object) => ({ subscription: 'sub_1', subscription_details: { metadata } })],
])('follows the subscription’s metadata on an invoice in the shape of %s', async (_shape, details) => {
  const team = await service.newTeam();
  const invoice = { id: 'in_1', object: 'invoice', metadata: {}, ...details({ projectId: team.projectId }) };
  const event = anEvent('invoice.paid', invoice);
  await service.send(team, event);
  expect((await bus.waitForFacts(event.id, 'invoice.paid'))[0]?.data).toMatchObject({
    projectId: team.projectId,
    routedBy: 'object-metadata',
  });
});

it('never goes to a project of another team, and then follows the ids that are known', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const customer = aCustomer(other.projectId);
  await tell(service, CustomerCreated, team.teamId, customerState(team.projectId, customer.id));
  await waitFor(async () => (await routesOf(customer.id)).length > 0, { what: 'the route' });
  const charge = {
    id: 'ch_1',
    object: 'charge',
    customer: { id: customer.id },
    metadata: { projectId: other.projectId },
  };
  const event = anEvent('charge.succeeded', charge);
  await service.send(team, event);

  const [fact] = await bus.waitForFacts(event.id, 'charge.succeeded');
  expect(fact?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
  expect((await service.list(other)).webhookEvents).toEqual([]);
});

it('re-reads the customer at the processor when nothing else tells', async () => {
  const team = await service.newTeam();
  const { projectId } = team;
  const processor = service.processorOf(team);
  const { id: customer } = await processor.createCustomer({ email: 'a@example.com', metadata: { projectId } }, 'c1');
  const event = anEvent('payment_intent.succeeded', { id: 'pi_1', object: 'payment_intent', customer, metadata: {} });
  await service.send(team, event);
  expect((await bus.waitForFacts(event.id, 'payment_intent.succeeded'))[0]?.data).toMatchObject({
    projectId,
    routedBy: 'customer-metadata',
  });
});

it('does not follow a customer’s metadata to a project of another team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const metadata = { projectId: other.projectId };
  const { id: customer } = await service.processorOf(team).createCustomer({ email: 'a@example.com', metadata }, 'c1');
  const event = anEvent('charge.failed', { id: 'ch_1', object: 'charge', customer, metadata: {} });
  await service.send(team, event);
  const record = await waitFor(
    async () => {
      const seen = await service.recordOf(team, event.id);
      return seen?.error ? seen : undefined;
    },
    { what: 'the event to stay unrouted' },
  );
  expect(record).toMatchObject({ status: 'received', projectId: null, error: expect.stringMatching(/^unroutable/) });
});

it('tells a customer’s own events to every project that holds the customer, once each', async () => {
  const team = await service.newTeam();
  const second = service.newProject(team.teamId);
  const left = service.newProject(team.teamId);
  const customer = aCustomer(team.projectId);
  await tell(service, CustomerCreated, team.teamId, customerState(second, customer.id));
  const gone = customerState(left, customer.id);
  await tell(service, CustomerDeleted, team.teamId, { ...gone, version: 2, deletedAt: new Date() });
  await tell(service, CustomerCreated, team.teamId, gone);
  await waitFor(async () => (await routesOf(customer.id)).length === 2, { what: 'the routes' });

  const event = anEvent('customer.updated', customer);
  await service.send(team, event);
  const facts = await bus.waitForFacts(event.id, 'customer.updated', 2);
  expect(facts.map(({ data }) => data.projectId).toSorted()).toEqual([team.projectId, second].toSorted());
  expect(new Set(facts.map(({ id }) => id)).size).toBe(2);
  expect(await service.recordOf(team, event.id)).toMatchObject({ projectId: team.projectId });
});

it('has the customer’s metadata choose between projects that share the customer', async () => {
  const team = await service.newTeam();
  const [first, second] = [team.projectId, service.newProject(team.teamId)];
  const metadata = { projectId: second };
  const { id: customer } = await service.processorOf(team).createCustomer({ email: 'a@example.com', metadata }, 'c1');
  for (const projectId of [first, second])
    await tell(service, CustomerCreated, team.teamId, customerState(projectId, customer));
  await waitFor(async () => (await routesOf(customer)).length === 2, { what: 'the routes' });
  const event = anEvent('charge.succeeded', { id: 'ch_1', object: 'charge', customer, metadata: {} });
  await service.send(team, event);
  expect((await bus.waitForFacts(event.id, 'charge.succeeded'))[0]?.data).toMatchObject({
    projectId: second,
    routedBy: 'customer-metadata',
  });
});

it('takes an event up at once when the fact arrives that it was too early for', async () => {
  const team = await service.newTeam();
  const customer = aCustomer();
  const event = anEvent('customer.created', customer);
  await service.send(team, event);
  await waitFor(async () => (await service.recordOf(team, event.id))?.error, { what: 'the event to be unrouted' });
  // Past the short pauses, so that only the fact can be what wakes it.
  await service.admin.query(`update webhooks.webhook_events set due_at = now() + interval '1 hour' where id = $1`, [
    event.id,
  ]);

  await tell(service, CustomerCreated, team.teamId, customerState(team.projectId, customer.id));
  expect((await bus.waitForFacts(event.id, 'customer.created'))[0]?.data).toMatchObject({
    projectId: team.projectId,
    routedBy: 'known-id',
  });
  expect(await service.recordOf(team, event.id)).toMatchObject({ error: null, attempts: 0 });
});

it('waits for a processor that is away without counting that as an attempt', async () => {
  const team = await service.newTeam();
  const { projectId } = team;
  const { id: customer } = await service
    .processorOf(team)
    .createCustomer({ email: 'a@example.com', metadata: { projectId } }, 'c1');
  await service.controlOf(team).fail({ path: '/v1/customers', method: 'GET', mode: 'dropped', times: 100 });
  const event = anEvent('charge.succeeded', { id: 'ch_1', object: 'charge', customer, metadata: {} });
  await service.send(team, event);
  const attempts = () =>
    service.admin
      .query('select claim_id, routing_attempts from webhooks.webhook_events where id = $1', [event.id])
      .then(({ rows: [row] }) => row);
  await waitFor(async () => (await attempts()).claim_id !== null, { what: 'a first try' });
  await waitFor(async () => (await attempts()).claim_id === null, { what: 'it to be put back', timeoutMs: 15_000 });
  expect(await attempts()).toEqual({ claim_id: null, routing_attempts: 0 });
  await service.controlOf(team).clearFaults();
  expect((await bus.waitForFacts(event.id, 'charge.succeeded'))[0]?.data.projectId).toBe(projectId);
});

it('fails what never finds a project, after its pauses, and replays it once it can be found', async () => {
  const team = await service.newTeam();
  const customer = aCustomer();
  const event = anEvent('customer.updated', customer);
  await service.send(team, event);
  const pauses: number[] = [];
  const failed = await waitFor(
    async () => {
      const { rows } = await service.admin.query(
        `update webhooks.webhook_events e set due_at = now()
          from (select id, extract(epoch from due_at - clock_timestamp()) as pause
                  from webhooks.webhook_events where id = $1 and claim_id is null and waiting_for is not null
                   and due_at > clock_timestamp() + interval '0.3 s') as old
         where e.id = old.id and e.claim_id is null returning old.pause::float8`,
        [event.id],
      );
      pauses.push(...rows.map(row => Math.ceil(row.pause)));
      const record = await service.recordOf(team, event.id);
      return record?.status === 'failed' ? record : undefined;
    },
    { what: 'the event to fail', timeoutMs: 15_000, intervalMs: 10 },
  );
  expect(failed).toMatchObject({ projectId: null, attempts: 6, error: expect.stringMatching(/^unroutable/) });
  expect([...new Set(pauses)]).toEqual([1, 5, 30, 120, 600]);
  // Members of the team see what found no project; keys of a project do not.
  expect((await service.list(team, '', service.identity.asKey(team))).webhookEvents).toEqual([]);

  await tell(service, CustomerCreated, team.teamId, customerState(team.projectId, customer.id));
  await waitFor(async () => (await routesOf(customer.id)).length > 0, { what: 'the route' });
  const replayed = await service.replay(team, event.id);
  expect([replayed.statusCode, replayed.json().webhookEvent.status]).toEqual([200, 'received']);
  expect((await bus.waitForFacts(event.id, 'customer.updated'))[0]?.data.projectId).toBe(team.projectId);
});
