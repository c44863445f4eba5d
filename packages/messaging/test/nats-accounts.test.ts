import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { allRpcs, busAccessOf, callersOf } from '@billing/contracts/bus-access';
import { allEvents } from '@billing/contracts/events/all-events';
import { ProductCreated } from '@billing/contracts/events/catalog';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { HasSubscribed } from '@billing/contracts/rpc/calls';
import { startNats } from '@billing/embedded-servers/nats';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { messageWith } from '@billing/testing/events';
import { tryingOf } from '@billing/testing/nats-refusals';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStream, openBus } from '../src/bus.ts';
import { connectBroker } from '../src/connection.ts';
import { natsAccounts, SERVICES_API, STREAM_ADMIN } from '../src/nats-accounts.ts';
import { openRpcClient, serveRpc } from '../src/rpc.ts';

/*
 * A real server with the generated accounts. Each service's user tries every subject of every service, and only what the
 * service has declared may succeed.
 */

const PASSWORD = 'secret';
const STREAM = 'BILLING';
const logger = pino({ level: 'silent' });
const resources = new AsyncDisposableStack();
let port = 0;
let admin: NatsConnection;
const users = new Map<ServiceName, User>();

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'billing-accounts-'));
  resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const guard = resources.adopt(startProcessGuard(), started => started.close());
  const quoted = JSON.stringify(PASSWORD);
  const server = await startNats({
    storeDir: join(folder, 'nats'),
    logFile: join(folder, 'nats.log'),
    password: PASSWORD,
    accounts: natsAccounts({ admin: quoted, of: () => quoted }),
    guard,
    durable: false,
  });
  resources.defer(() => server.stop());
  ({ port } = server);
  admin = await connectAs(STREAM_ADMIN);
  await createStream(admin);
  for (const service of SERVICES) {
    const nats = await connectAs(service);
    users.set(service, { nats, refused: tryingOf(nats) });
  }
});
afterAll(() => resources.disposeAsync());

it('S16, S39: lets a service publish its own events only', async () => {
  const events = allEvents.map(({ type }) => `billing.${type.name}`);
  for (const service of SERVICES) {
    const own = allEvents
      .filter(event => event.publishedBy.includes(service))
      .map(({ type }) => `billing.${type.name}`);
    const invented = [
      `billing.${service}.created.v1`,
      'billing.product.created.v2',
      'billing.anything',
      'billing',
      'x',
    ];
    const subjects = [...events, ...invented];
    expect(await refused(service, { publish: subjects })).toEqual(without(subjects, own));
  }
});

it('S39: lets a service make and serve only the calls that it declared', async () => {
  const subjects = allRpcs.map(rpc => `billing-rpc.${rpc.name}`);
  for (const service of SERVICES) {
    const made = allRpcs.filter(rpc => callersOf(rpc).includes(service)).map(rpc => `billing-rpc.${rpc.name}`);
    const served = allRpcs.filter(({ owner }) => owner === service).map(rpc => `billing-rpc.${rpc.name}`);
    expect(await refused(service, { publish: subjects })).toEqual(without(subjects, made));
    const all = [...subjects, 'billing-rpc.>', 'billing-rpc.*.*.v1', '>'];
    expect(await refused(service, { subscribe: all })).toEqual(without(all, served));
  }
});

it('S39: lets a service use its own consumers only, with their own filters', async () => {
  const apiOf = (name: string, filter: string) => [
    `${SERVICES_API}.CONSUMER.CREATE.${STREAM}.${name}.billing.${filter}`,
    `${SERVICES_API}.CONSUMER.INFO.${STREAM}.${name}`,
    `${SERVICES_API}.CONSUMER.MSG.NEXT.${STREAM}.${name}`,
    `$JS.ACK.${STREAM}.${name}.1.1.1.1.1`,
  ];
  const never = (name: string) => [
    `${SERVICES_API}.CONSUMER.CREATE.${STREAM}.${name}`,
    `${SERVICES_API}.CONSUMER.CREATE.${STREAM}.${name}.billing.>`,
    `${SERVICES_API}.CONSUMER.DURABLE.CREATE.${STREAM}.${name}`,
    `${SERVICES_API}.CONSUMER.DELETE.${STREAM}.${name}`,
    `${SERVICES_API}.CONSUMER.PAUSE.${STREAM}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${name}`,
  ];
  const everyConsumer = SERVICES.flatMap(service => [...busAccessOf(service).consumers]);
  const all = everyConsumer.flatMap(([name, filter]) => [...apiOf(name, filter), ...never(name)]);
  for (const service of SERVICES) {
    const own = [...busAccessOf(service).consumers].flatMap(([name, filter]) => apiOf(name, filter));
    expect(await refused(service, { publish: all })).toEqual(without(all, own));
  }
});

it('S39: lets no service change, read or delete a stream', async () => {
  const verbs = [
    'CREATE',
    'UPDATE',
    'DELETE',
    'PURGE',
    'MSG.GET',
    'MSG.DELETE',
    'LIST',
    'NAMES',
    'RESTORE',
    'SNAPSHOT',
  ];
  const subjects = ['$JS.API', SERVICES_API].flatMap(api => [
    ...verbs.flatMap(verb => [`${api}.STREAM.${verb}`, `${api}.STREAM.${verb}.${STREAM}`]),
    `${api}.DIRECT.GET.${STREAM}`,
    `${api}.CONSUMER.CREATE.${STREAM}`,
    `${api}.CONSUMER.CREATE.${STREAM}.spy.billing.record.customer.created.v1`,
    `${api}.CONSUMER.NAMES.${STREAM}`,
    `${api}.ACCOUNT.PURGE.SERVICES`,
    `${api}.SERVER.REMOVE`,
    `${api}.CONSUMER.LIST.${STREAM}`,
    `${api}.INFO`,
  ]);
  for (const service of SERVICES) expect(await refused(service, { publish: subjects })).toEqual(subjects);
});

it('S39: lets a service read no inbox but its own, and reply only to those who call it', async () => {
  for (const service of SERVICES) {
    const others = SERVICES.filter(other => other !== service).map(other => `_INBOX_${other}.>`);
    const { follows } = busAccessOf(service);
    const events = allEvents.filter(({ type }) => !follows.has(type.name)).map(({ type }) => `billing.${type.name}`);
    const all = ['>', '*', 'billing.>', 'billing.*.*.v1', '_INBOX.>', '$JS.>', '$SYS.>', `${SERVICES_API}.>`];
    const subjects = [
      ...others,
      ...events,
      ...all,
      `_INBOX_${service === 'portal' ? 'catalog' : 'portal'}.${service}.>`,
    ];
    expect(await refused(service, { subscribe: subjects })).toEqual(subjects);
    const inboxes = SERVICES.flatMap(caller => [
      `_INBOX_${caller}.x`,
      ...SERVICES.map(of => `_INBOX_${caller}.${of}.x`),
    ]);
    const callers = new Set(allRpcs.filter(({ owner }) => owner === service).flatMap(callersOf));
    const own = [...callers].map(caller => `_INBOX_${caller}.${service}.x`);
    expect(await refused(service, { publish: inboxes })).toEqual(without(inboxes, own));
  }
});

it('S39: does not delete or fill the stream for a service that names its API as the reply subject', async () => {
  const { nats } = userOf('portal');
  const jsm = await jetstreamManager(admin);
  await jsm.consumers.add(STREAM, {
    durable_name: 'portal-customers',
    filter_subject: 'billing.record.customer.deleted.v1',
  });
  const before = await jsm.streams.info(STREAM);
  const next = `${SERVICES_API}.CONSUMER.MSG.NEXT.${STREAM}.portal-customers`;
  const replies = ['$JS.API', SERVICES_API].flatMap(api => [
    `${api}.STREAM.DELETE.${STREAM}`,
    `${api}.STREAM.PURGE.${STREAM}`,
  ]);
  for (const reply of [...replies, 'billing.record.customer.created.v1']) {
    for (let times = 0; times < 5; times += 1)
      nats.publish(next, JSON.stringify({ batch: 1, no_wait: true }), { reply });
    nats.publish(`${SERVICES_API}.STREAM.INFO.${STREAM}`, '', { reply });
    nats.publish(`$JS.ACK.${STREAM}.portal-customers.1.1.1.1.1`, '+ACK', { reply });
    nats.publish('billing.processor-account.purge-reported.v1', '{}', { reply });
    await nats.flush();
  }
  // The last one is stored after everything that came before it.
  await nats.request('billing.processor-account.purge-reported.v1', '{}');
  const { state } = await jsm.streams.info(STREAM);
  expect(state.messages).toBe(before.state.messages + replies.length + 2);
  expect(state.first_seq).toBe(before.state.first_seq);
});

it('S16: refuses a client without credentials, and one with another service’s name and a wrong password', async () => {
  const servers = `127.0.0.1:${port}`;
  const wrong = [{}, { user: '', pass: '' }, { user: STREAM_ADMIN, pass: '' }, { user: 'nobody', pass: PASSWORD }];
  const withWrongPassword = [STREAM_ADMIN, ...SERVICES].map(user => ({ user, pass: 'wrong' }));
  for (const credentials of [...wrong, { token: PASSWORD }, ...withWrongPassword])
    await expect(connect({ servers, reconnect: false, ...credentials })).rejects.toThrow(/authorization/i);
});

it('lets services publish, consume, follow and call as declared', async () => {
  await using open = new AsyncDisposableStack();
  const busOf = async (service: ServiceName) => {
    const url = `nats://${service}:${PASSWORD}@127.0.0.1:${port}?api=${SERVICES_API}`;
    const broker = open.adopt(await connectBroker({ url, service, logger }), ({ nats }) => nats.close());
    return openBus({ ...broker, logger });
  };
  const [catalog, subscriptions, webhooks, referrals] = [
    await busOf('catalog'),
    await busOf('subscriptions'),
    await busOf('webhooks'),
    await busOf('referrals'),
  ];
  const teamId = TeamId.create();
  const publish = async (bus: typeof catalog, type: string) => {
    const event = { id: randomUUID(), type, teamId, occurredAt: new Date(), data: {} };
    await bus.publish(messageWith(event));
    return event.id;
  };

  const received: string[] = [];
  const subscribe = () =>
    subscriptions.subscribe('subscriptions-products', 'record.product.*.v1', async ({ event }) => {
      received.push(event.id);
      return { kind: 'ack' };
    });
  const stop = await subscribe();
  const first = await publish(catalog, ProductCreated.name);
  await waitFor(() => received.includes(first), { what: 'the event' });
  await stop();
  // A later start finds the consumer and brings its settings up to date.
  const stopAgain = await subscribe();
  const second = await publish(catalog, ProductCreated.name);
  await waitFor(() => received.includes(second), { what: 'the event after the second start' });
  await stopAgain();
  expect(received.filter(id => id === first)).toHaveLength(1);

  const changed: string[] = [];
  open.defer(catalog.follow(ProcessorAccountChanged, team => changed.push(team)));
  await catalog.nats.flush();
  await publish(webhooks, ProcessorAccountChanged.name);
  await waitFor(() => changed.includes(teamId), { what: 'the followed event' });

  const stopServing = serveRpc({ ...subscriptions, logger }, HasSubscribed, async () => ({ subscribed: true }));
  await subscriptions.nats.flush();
  const request = { teamId, projectId: ProjectId.create(), customerId: CustomerId.create() };
  expect(await openRpcClient(referrals).call(HasSubscribed, request)).toEqual({ subscribed: true });
  await expect(openRpcClient(catalog).call(HasSubscribed, request)).rejects.toMatchObject({ kind: 'unavailable' });
  await stopServing();
});

/** A connection, and what tries subjects with it. */
interface User {
  readonly nats: NatsConnection;
  readonly refused: ReturnType<typeof tryingOf>;
}

function connectAs(name: ServiceName | typeof STREAM_ADMIN): Promise<NatsConnection> {
  const connecting = connect({
    servers: `127.0.0.1:${port}`,
    user: name,
    pass: PASSWORD,
    inboxPrefix: `_INBOX_${name}`,
  });
  resources.defer(async () => (await connecting).close());
  return connecting;
}

function userOf(service: ServiceName): User {
  const user = users.get(service);
  if (!user) throw new Error(`${service} is not connected.`);
  return user;
}

/** Publishes and subscribes to subjects as a service, and returns those that the server refused. */
const refused = (service: ServiceName, tried: Parameters<User['refused']>[0]): Promise<string[]> =>
  userOf(service).refused(tried);

const without = (subjects: readonly string[], allowed: readonly string[]): string[] =>
  subjects.filter(subject => !allowed.includes(subject));
