import { CustomerCreated } from '@billing/contracts/events/customers';
import { ProductCreated } from '@billing/contracts/events/catalog';
import { ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { customerState } from '@billing/testing/customer-state';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteOldEvents } from '../src/receipt/delete-expired.ts';
import { completed, customerCreated } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { newStripeCustomer } from './stripe-events.ts';

/** Calls an event foreign after three attempts, the last 0.4 s after the first. */
let service: WebhooksService;
/** On the same database. */
let copy: Awaited<ReturnType<WebhooksService['startCopy']>>;

beforeAll(async () => {
  const env = { ROUTING_PAUSES_SECONDS: '0.1,0.3,60,60' };
  service = await startWebhooks({ env });
  copy = await service.startCopy({ env });
});
afterAll(() => service[Symbol.asyncDispose]());

const newCharge = (customer: string | null, changes: object = {}) =>
  newWebhookEvent('charge.succeeded', { id: 'ch_1', object: 'charge', customer, metadata: {}, ...changes });

const waitForStatus = (team: Team, eventId: string, status: string) =>
  waitFor(
    async () => {
      const record = await service.recordOf(team, eventId);
      return record?.status === status ? record : undefined;
    },
    { what: `the event to be ${status}` },
  );

/** A customer at Stripe that another product created: nothing names a project. */
const newStranger = async (team: Team): Promise<string> =>
  (await service.stripeOf(team).customers.create({ email: 'stranger@example.com' })).id;

const countLookUps = async (team: Team): Promise<number> => {
  const { calls } = await service.controlOf(team).ledger();
  return Object.values(calls['GET /v1/customers/:id'] ?? {}).reduce((sum, count) => sum + count, 0);
};

const productCreated = (teamId: TeamId, projectId: ProjectId, processorProductId: string) =>
  newEvent(ProductCreated, teamId, {
    id: ProductId.create(),
    projectId,
    key: null,
    name: 'Pro',
    description: null,
    unitLabel: null,
    taxCode: null,
    isActive: true,
    processorProductId,
    metadata: {},
    version: 1,
    createdAt: new Date(),
    deletedAt: null,
  });

it('ignores events of another product’s customers after one look-up, however many come to whichever copy', async () => {
  const team = await service.newTeam();
  const customer = await newStranger(team);
  const events = Array.from({ length: 40 }, () => newCharge(customer));
  await Promise.all(events.map((event, index) => service.send(team, event, index % 2 === 0 ? {} : { to: copy })));
  for (const { id } of events)
    expect(await waitForStatus(team, id, 'ignored')).toMatchObject({ error: 'foreign', projectId: null, attempts: 3 });
  expect(await countLookUps(team)).toBe(1);
  expect(events.flatMap(({ id }) => service.publicationsOf(id, 'charge.succeeded'))).toEqual([]);
});

it('looks a foreign customer up again after an hour', async () => {
  const team = await service.newTeam();
  const customer = await newStranger(team);
  const first = newCharge(customer);
  await service.send(team, first);
  await waitForStatus(team, first.id, 'ignored');
  const metadata = { projectId: team.projectId };
  await service.stripeOf(team).customers.update(customer, { metadata });

  const within = newCharge(customer);
  await service.send(team, within);
  await waitForStatus(team, within.id, 'ignored');
  await service.sql(`update customer_look_ups set valid_until = valid_until - interval '61 minutes'`);
  const later = newCharge(customer);
  await service.send(team, later);
  const [publication] = await service.waitForPublications(later.id, 'charge.succeeded');
  expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'customer-metadata' });
  expect(await countLookUps(team)).toBe(2);
});

it('looks a customer up again at once when Stripe was unavailable', async () => {
  const team = await service.newTeam();
  const { projectId } = team;
  const { id: customer } = await service.stripeOf(team).customers.create({ metadata: { projectId } });
  await service.controlOf(team).fail({ path: '/v1/customers', method: 'GET', mode: '429', times: 3 });
  const event = newCharge(customer);
  await service.send(team, event);
  const [publication] = await service.waitForPublications(event.id, 'charge.succeeded');
  expect(publication?.data).toMatchObject({ projectId, routedBy: 'customer-metadata' });
});

it.each([
  ['of another installation', () => ProjectId.create()],
  ['of another team', async () => (await service.newTeam()).projectId],
])('ignores what names a project %s, itself or by its customer, until the customer is ours', async (_whose, theirs) => {
  const team = await service.newTeam();
  const metadata = { teamId: TeamId.create(), projectId: await theirs() };
  const { id: customer } = await service.stripeOf(team).customers.create({ metadata });
  const [byCustomer, byItself] = [newCharge(customer), newCharge(customer, { metadata })];
  const others = [
    newCharge(null, { metadata }),
    newWebhookEvent('customer.updated', { id: customer, object: 'customer', metadata }),
  ];
  for (const event of [byCustomer, byItself, ...others]) await service.send(team, event);
  for (const { id } of [byCustomer, byItself, ...others])
    expect(await waitForStatus(team, id, 'ignored')).toMatchObject({ error: 'foreign', projectId: null });
  expect(await countLookUps(team)).toBe(1);

  expect((await service.replay(team, byItself.id)).body.webhookEvent).toMatchObject({ status: 'received' });
  await waitForStatus(team, byItself.id, 'ignored');
  await service.emit(customerCreated(team.teamId, team.projectId, customer));
  for (const { id } of [byCustomer, byItself]) {
    const [publication] = await service.waitForPublications(id, 'charge.succeeded');
    expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
  }
});

it('ignores an object without a customer, and calls nobody', async () => {
  const team = await service.newTeam();
  const event = newWebhookEvent('product.created', { id: 'prod_other', object: 'product', metadata: {} });
  await service.send(team, event);
  expect(await waitForStatus(team, event.id, 'ignored')).toMatchObject({ error: 'foreign', objectId: 'prod_other' });
  expect(await service.sql(`select id from "${team.teamId}".products`)).toEqual([]);
  expect(await countLookUps(team)).toBe(0);
});

it('processes what was foreign as soon as its customer or product is ours', async () => {
  const team = await service.newTeam();
  const customer = await newStranger(team);
  const charge = newCharge(customer);
  const product = newWebhookEvent('product.created', { id: 'prod_1', object: 'product', metadata: {} });
  for (const event of [charge, product]) await service.send(team, event);
  for (const event of [charge, product]) await waitForStatus(team, event.id, 'ignored');

  const state = customerState({ projectId: team.projectId, processorCustomerId: customer });
  await service.emit(newEvent(CustomerCreated, team.teamId, state));
  await service.emit(productCreated(team.teamId, team.projectId, 'prod_1'));
  for (const [event, type] of [
    [charge, 'charge.succeeded'],
    [product, 'product.created'],
  ] as const) {
    const [publication] = await service.waitForPublications(event.id, type);
    expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
    await service.emit(completed(team, event.id));
    const record = await waitForStatus(team, event.id, 'processed');
    expect(record).toMatchObject({ projectId: team.projectId, error: null });
  }
  // What is processed waits for nothing: a later route of the same customer changes nothing.
  await service.emit(newEvent(CustomerCreated, team.teamId, { ...state, version: 2 }));
  await waitFor(async () => (await service.sql(`select 1 from routes where version = 2`)).length === 1, {
    what: 'the route to be saved',
  });
  expect(await service.recordOf(team, charge.id)).toMatchObject({ status: 'processed' });
  expect(service.publicationsOf(charge.id, 'charge.succeeded')).toHaveLength(1);
});

it('routes an event that overtook our own commit', async () => {
  const team = await service.newTeam();
  const customer = await newStranger(team);
  const event = newCharge(customer);
  await service.send(team, event);
  await waitFor(async () => (await service.recordOf(team, event.id))?.error, { what: 'the first attempt' });
  await service.emit(customerCreated(team.teamId, team.projectId, customer));
  const [publication] = await service.waitForPublications(event.id, 'charge.succeeded');
  expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
  expect(await service.recordOf(team, event.id)).toMatchObject({ error: null });
});

it('routes an event whose customer became ours during its last look-up', async () => {
  const team = await service.newTeam();
  const customer = await newStranger(team);
  const event = newCharge(customer);
  await service.controlOf(team).fail({ path: '/v1/customers', method: 'GET', mode: 'slow', delayMs: 1_500, times: 1 });
  await service.send(team, event, { to: await service.startCopy({ run: false }) });
  // As if only the last attempt were left.
  await service.sql(
    `update webhook_events set routing_attempts = 2, waiting_for = array[?], due_at = now(), lease_id = null where id = ?`,
    [customer, event.id],
  );
  const isLookedUp = async () =>
    (
      await service.sql(
        `select 1 from webhook_events where id = ? and lease_id is not null and due_at > now() + interval '20 seconds'`,
        [event.id],
      )
    ).length === 1;
  await waitFor(isLookedUp, { what: 'the look-up to begin' });
  await service.emit(customerCreated(team.teamId, team.projectId, customer));
  const [publication] = await service.waitForPublications(event.id, 'charge.succeeded');
  expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
});

it('counts the creation of a customer as processed once the team’s schema has it', async () => {
  const team = await service.newTeam();
  const customer = newStripeCustomer();
  const event = newWebhookEvent('customer.created', customer);
  await service.send(team, event);
  expect(await waitForStatus(team, event.id, 'processed')).toMatchObject({ projectId: null, error: null, attempts: 1 });
  expect(await service.sql(`select id from "${team.teamId}".customers`)).toEqual([{ id: customer.id }]);
  expect(await countLookUps(team)).toBe(0);
});

it.each([
  ['charge.dispute.created', { charge: 'ch_known', payment_intent: 'pi_1' }],
  ['refund.updated', { charge: { id: 'ch_known' } }],
  ['invoice_payment.paid', { invoice: 'in_known', payment: { payment_intent: 'pi_1' } }],
] as const)('finds the project of a %s by the payment or invoice in the team’s schema', async (type, payment) => {
  const team = await service.newTeam();
  const { id: customer } = newStripeCustomer();
  await service.emit(customerCreated(team.teamId, team.projectId, customer));
  const known = type.startsWith('invoice')
    ? newWebhookEvent('invoice.paid', { id: 'in_known', customer, metadata: {} })
    : newCharge(customer, { id: 'ch_known' });
  await service.send(team, known);
  await service.waitForPublications(known.id, known.type as ProcessorEventType); // one of the two above
  const event = newWebhookEvent(type, { id: 'it_1', metadata: {}, ...payment });
  await service.send(team, event);
  const [publication] = await service.waitForPublications(event.id, type);
  expect(publication?.data).toMatchObject({ projectId: team.projectId, routedBy: 'known-id' });
});

it('reads the payment of a refund from Stripe when the team’s schema lacks it', async () => {
  const team = await service.newTeam();
  const { projectId } = team;
  const { id: customer } = await service.stripeOf(team).customers.create({ metadata: { projectId } });
  const { paymentIntentId } = await service.payOnce(team, customer);
  const event = newWebhookEvent('refund.updated', { id: 're_1', charge: null, payment_intent: paymentIntentId });
  await service.send(team, event);
  const [publication] = await service.waitForPublications(event.id, 'refund.updated');
  expect(publication?.data).toMatchObject({ projectId, routedBy: 'customer-metadata' });
});

it('calls the refund of a foreign payment foreign, and processes it when its customer is ours', async () => {
  const team = await service.newTeam();
  const customer = await newStranger(team);
  const charge = newCharge(customer, { id: 'ch_theirs' });
  await service.send(team, charge);
  await waitForStatus(team, charge.id, 'ignored');
  const refund = newWebhookEvent('refund.updated', { id: 're_2', charge: 'ch_theirs' });
  await service.send(team, refund);
  expect(await waitForStatus(team, refund.id, 'ignored')).toMatchObject({ error: 'foreign' });
  await service.emit(customerCreated(team.teamId, team.projectId, customer));
  await service.waitForPublications(refund.id, 'refund.updated');
});

it('keeps the payload of a foreign event for seven days, and then replays it no more', async () => {
  const team = await service.newTeam();
  const event = newWebhookEvent('product.created', { id: 'prod_old', object: 'product', metadata: {} });
  await service.send(team, event);
  await waitForStatus(team, event.id, 'ignored');
  const hasPayload = async () =>
    (await service.sql(`select 1 from webhook_events where id = ? and payload is not null`, [event.id])).length === 1;
  const setAge = (days: number) =>
    service.sql(`update webhook_events set received_at = now() - make_interval(secs => ?) where id = ?`, [
      days * 86_400,
      event.id,
    ]);
  await setAge(6.9);
  await deleteOldEvents(service.em, { days: 90 });
  expect(await hasPayload()).toBe(true);
  await setAge(7.1);
  await deleteOldEvents(service.em, { days: 90 });
  expect(await hasPayload()).toBe(false);

  const { status, body } = await service.replay(team, event.id);
  expect([status, body.error.code]).toEqual([409, 'webhook_event_payload_deleted']);
  await service.emit(productCreated(team.teamId, team.projectId, 'prod_old'));
  await waitFor(async () => (await service.sql(`select 1 from routes where processor_id = 'prod_old'`)).length === 1, {
    what: 'the route to be saved',
  });
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'ignored', error: 'foreign' });
});
