import { CustomerCreated, CustomerDeleted } from '@billing/contracts/events/customers';
import { ProjectId } from '@billing/contracts/ids';
import { customerState } from '@billing/testing/customer-state';
import { newEvent } from '@billing/testing/events';
import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureLog } from './capture-log.ts';
import { completed, customerCreated } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { newStripeCustomer } from './stripe-events.ts';

const log = captureLog();
let service: WebhooksService;
/** Tries so late again that only an event wakes what waits. */
let patient: WebhooksService;

beforeAll(async () => {
  service = await startWebhooks({ logger: log.logger });
  patient = await startWebhooks({ env: { ROUTING_PAUSES_SECONDS: '3600' } });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await patient[Symbol.asyncDispose]();
});

const newCharge = (customer: unknown, metadata: object = {}) =>
  newWebhookEvent('charge.succeeded', { id: 'ch_1', object: 'charge', customer, metadata });
/** An invoice that names nothing but its subscription. */
const newInvoice = (subscription: string) =>
  newWebhookEvent('invoice.paid', {
    id: 'in_1',
    object: 'invoice',
    metadata: {},
    parent: { subscription_details: { metadata: {}, subscription } },
  });
const newSubscription = (id: string, projectId: ProjectId) =>
  newWebhookEvent('customer.subscription.created', { id, object: 'subscription', metadata: { projectId } });

/** Waits until an event was looked for in vain. */
const waitUntilUnrouted = (of: WebhooksService, team: Team, eventId: string) =>
  waitFor(
    async () => {
      const record = await of.recordOf(team, eventId);
      return record?.error ? record : undefined;
    },
    { what: 'the event to find no project' },
  );

/** Waits until an event has ended so. */
const waitForStatus = (of: WebhooksService, team: Team, eventId: string, status: string) =>
  waitFor(
    async () => {
      const record = await of.recordOf(team, eventId);
      return record?.status === status ? record : undefined;
    },
    { what: `the event to be ${status}` },
  );

it('follows the metadata of the object itself', async () => {
  const team = await service.newTeam();
  const customer = newStripeCustomer(team.projectId);
  const previous = { email: 'old@example.com' };
  const data = { object: customer, previous_attributes: previous };
  const event = newWebhookEvent('customer.updated', customer, { data });
  await service.send(team, event);

  const [publication] = await service.waitForPublications(event.id);
  expect(publication).toMatchObject({ teamId: team.teamId });
  expect(publication?.data).toEqual({
    eventId: event.id,
    projectId: team.projectId,
    apiVersion: event.api_version,
    livemode: false,
    createdAt: new Date(event.created * 1_000),
    routedBy: 'object-metadata',
    object: customer,
    previousAttributes: previous,
  });
  await expect
    .poll(() => service.recordOf(team, event.id))
    .toMatchObject({
      status: 'received',
      projectId: team.projectId,
      routedBy: 'object-metadata',
      objectId: customer.id,
      processedAt: null,
    });
});

it('routes to a project that only an event named, without the gateway', async () => {
  const team = await service.newTeam();
  const id = ProjectId.create();
  await service.emit(projectCreated({ ...team, projectId: id }));
  const event = newWebhookEvent('product.updated', { id: 'prod_1', object: 'product', metadata: { projectId: id } });
  await service.send(team, event);
  expect((await service.waitForPublications(event.id, 'product.updated'))[0]?.data.projectId).toBe(id);
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
  const event = newWebhookEvent('invoice.paid', invoice);
  await service.send(team, event);
  expect((await service.waitForPublications(event.id, 'invoice.paid'))[0]?.data).toMatchObject({
    projectId: team.projectId,
    routedBy: 'object-metadata',
  });
});

it('never routes to a project of another team, and then follows known ids', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const customer = newStripeCustomer(other.projectId);
  await service.emit(customerCreated(team.teamId, team.projectId, customer.id));
  const event = newCharge({ id: customer.id }, { projectId: other.projectId });
  await service.send(team, event);

  const [publication] = await service.waitForPublications(event.id, 'charge.succeeded');
  expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
  expect((await service.list(other)).webhookEvents).toEqual([]);
});

it('finds an event of a subscription by the event that created the subscription', async () => {
  const team = await service.newTeam();
  const created = newSubscription('sub_known', team.projectId);
  await service.send(team, created);
  await service.waitForPublications(created.id, 'customer.subscription.created');
  const invoice = newInvoice('sub_known');
  await service.send(team, invoice);
  expect((await service.waitForPublications(invoice.id, 'invoice.paid'))[0]?.data).toMatchObject({
    projectId: team.projectId,
    routedBy: 'known-id',
  });
});

it('reads the customer at Stripe when nothing else names the project', async () => {
  const team = await service.newTeam();
  const { projectId } = team;
  const processor = service.processorOf(team);
  const { id: customer } = await processor.createCustomer({ email: 'a@example.com', metadata: { projectId } }, 'c1');
  const event = newCharge(customer);
  await service.send(team, event);
  expect((await service.waitForPublications(event.id, 'charge.succeeded'))[0]?.data).toMatchObject({
    projectId,
    routedBy: 'customer-metadata',
  });
});

it('does not follow a customer’s metadata to a project of another team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const metadata = { projectId: other.projectId };
  const { id: customer } = await service.processorOf(team).createCustomer({ email: 'a@example.com', metadata }, 'c1');
  const event = newCharge(customer);
  await service.send(team, event);
  const record = await waitUntilUnrouted(service, team, event.id);
  expect(record).toMatchObject({ status: 'received', projectId: null, error: expect.stringMatching(/^unroutable/) });
});

it('publishes a customer’s own events once to every project that has the customer', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const [second, left] = [service.newProject(teamId), service.newProject(teamId)];
  const customer = newStripeCustomer(team.projectId);
  const state = customerState({ projectId: left, processorCustomerId: customer.id });
  await service.emit(customerCreated(teamId, second, customer.id));
  // The deletion overtakes the creation.
  await service.emit(newEvent(CustomerDeleted, teamId, { ...state, version: 2, deletedAt: new Date() }));
  await service.emit(newEvent(CustomerCreated, teamId, state));

  const event = newWebhookEvent('customer.updated', customer);
  await service.send(team, event);
  const publications = await service.waitForPublications(event.id, 'customer.updated', 2);
  expect(publications.map(({ data }) => data.projectId).toSorted()).toEqual([team.projectId, second].toSorted());
  expect(new Set(publications.map(({ id }) => id)).size).toBe(2);
  expect(await service.recordOf(team, event.id)).toMatchObject({ projectId: team.projectId });
});

it('sends a project that has just recorded a shared customer the newest of its events that went to others only', async () => {
  const team = await service.newTeam();
  const { teamId } = team;
  const late = service.newProject(teamId);
  const customer = newStripeCustomer(team.projectId);
  await service.emit(customerCreated(teamId, team.projectId, customer.id));
  const created = Math.floor(Date.now() / 1_000);
  const events = Array.from({ length: 12 }, (_, age) =>
    newWebhookEvent('customer.updated', customer, { created: created - age }),
  );
  for (const event of events) await service.send(team, event);
  for (const { id } of events) await service.waitForPublications(id);

  await service.emit(customerCreated(teamId, late, customer.id));
  const newest = events.slice(0, 10);
  for (const { id } of newest) {
    const [first, second] = await service.waitForPublications(id, 'customer.updated', 2);
    expect(first?.data).toMatchObject({ projectId: team.projectId, object: customer });
    const data = { projectId: late, routedBy: 'known-id', object: { id: customer.id }, objectOmitted: true };
    expect(second).toMatchObject({ teamId, data });
    expect(second?.data.createdAt).toEqual(first?.data.createdAt);
  }
  for (const { id } of events.slice(10)) expect(service.publicationsOf(id)).toHaveLength(1);
  // From now on both get its events, and whoever has had an event gets it no more.
  const next = newWebhookEvent('customer.updated', customer, { created: created + 1 });
  await service.send(team, next);
  await service.waitForPublications(next.id, 'customer.updated', 2);
  await service.emit(
    completed({ teamId, projectId: team.projectId }, next.id),
    completed({ teamId, projectId: late }, next.id),
  );
  await waitForStatus(service, team, next.id, 'processed');
  const third = service.newProject(teamId);
  await service.emit(customerCreated(teamId, late, customer.id), customerCreated(teamId, third, customer.id));
  const publications = await service.waitForPublications(next.id, 'customer.updated', 3);
  expect(publications.map(({ data }) => data.projectId).toSorted()).toEqual([team.projectId, late, third].toSorted());
});

it('chooses between projects that share a customer by the customer’s metadata', async () => {
  const team = await service.newTeam();
  const [first, second] = [team.projectId, service.newProject(team.teamId)];
  const metadata = { projectId: second };
  const { id: customer } = await service.processorOf(team).createCustomer({ email: 'a@example.com', metadata }, 'c1');
  await service.emit(...[first, second].map(projectId => customerCreated(team.teamId, projectId, customer)));
  const event = newCharge(customer);
  await service.send(team, event);
  expect((await service.waitForPublications(event.id, 'charge.succeeded'))[0]?.data).toMatchObject({
    projectId: second,
    routedBy: 'customer-metadata',
  });
});

it('processes a waiting event as soon as a customer’s event names its project', async () => {
  const team = await patient.newTeam();
  const customer = newStripeCustomer();
  const event = newWebhookEvent('customer.updated', customer);
  await patient.send(team, event);
  await waitUntilUnrouted(patient, team, event.id);

  await patient.emit(customerCreated(team.teamId, team.projectId, customer.id));
  expect((await patient.waitForPublications(event.id))[0]?.data).toMatchObject({
    projectId: team.projectId,
    routedBy: 'known-id',
  });
  expect(await patient.recordOf(team, event.id)).toMatchObject({ error: null, attempts: 0 });
});

it('processes a waiting event as soon as its subscription’s first event is routed', async () => {
  const team = await patient.newTeam();
  const invoice = newInvoice('sub_late');
  await patient.send(team, invoice);
  await waitUntilUnrouted(patient, team, invoice.id);

  await patient.send(team, newSubscription('sub_late', team.projectId));
  expect((await patient.waitForPublications(invoice.id, 'invoice.paid'))[0]?.data).toMatchObject({
    projectId: team.projectId,
    routedBy: 'known-id',
  });
});

it('does not count attempts while Stripe is unavailable', async () => {
  const team = await service.newTeam();
  const { projectId } = team;
  const { id: customer } = await service
    .processorOf(team)
    .createCustomer({ email: 'a@example.com', metadata: { projectId } }, 'c1');
  await service.controlOf(team).fail({ path: '/v1/customers', method: 'GET', mode: 'dropped', times: 100 });
  const event = newCharge(customer);
  await service.send(team, event);
  const hasFailed = () => log.lines.some(line => line.includes('not processed') && line.includes(event.id));
  const isReleased = async () =>
    (await service.sql('select 1 from webhook_events where id = ? and lease_id is null', [event.id])).length === 1;
  await waitFor(() => hasFailed() && isReleased(), { what: 'an attempt' });
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'received', attempts: 0, error: null });
  await service.controlOf(team).clearFaults();
  const [publication] = await service.waitForPublications(event.id, 'charge.succeeded');
  expect(publication?.data.projectId).toBe(projectId);
});

it('hides an event without a project from the API keys of projects', async () => {
  const team = await service.newTeam();
  const event = newWebhookEvent('payment_method.attached', { id: 'pm_1' });
  await service.send(team, event);
  expect(await service.recordOf(team, event.id)).toMatchObject({ projectId: null });
  expect((await service.list(team, '', service.identity.asKey(team))).webhookEvents).toEqual([]);
});
