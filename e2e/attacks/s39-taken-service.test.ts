import { randomUUID } from 'node:crypto';
import { allRpcs, busAccessOf, callersOf } from '@billing/contracts/bus-access';
import { envelope } from '@billing/contracts/event';
import { allEvents } from '@billing/contracts/events/all-events';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { waitFor } from '@billing/testing/wait-for';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { readLogs } from '../system/logs.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../system/tenant.ts';
import { connectAs, subjectOf, type NatsUser } from './nats-users.ts';

const STREAM = 'BILLING';
/** The names under which the API of JetStream may be found: its own, and the services' import of a part of it. */
const APIS = ['$JS.API', 'EVENTS.API'];

const users = new Map<ServiceName, NatsUser>();
const open = new AsyncDisposableStack();
beforeAll(async () => {
  for (const service of SERVICES) users.set(service, open.use(await connectAs(service)));
});
afterAll(() => open.disposeAsync());

/** Calls `attack` for every service, whoever has its credentials. */
async function asEach(attack: (service: ServiceName, user: NatsUser) => Promise<void>): Promise<void> {
  for (const [service, user] of users) await attack(service, user);
}

/** Expects that the server refuses each of these subjects, and no fewer. */
async function expectRefused(user: NatsUser, tried: { publish?: readonly string[]; subscribe?: readonly string[] }) {
  expect(await user.refused(tried)).toEqual([...(tried.publish ?? []), ...(tried.subscribe ?? [])]);
}

async function messagesInStream(): Promise<number> {
  await using admin = await connectAs('admin');
  return (await (await jetstreamManager(admin.nats)).streams.info(STREAM)).state.messages;
}

describe('the credentials of one service', () => {
  it('S39: a service’s credentials publish no event of another service, and none that does not exist', async () => {
    await asEach(async (service, user) => {
      const others = allEvents.filter(({ publishedBy }) => !publishedBy.includes(service));
      const invented = [
        'billing',
        'billing.x',
        `billing.${service}.created.v1`,
        'billing.product.created.v2',
        'anything',
      ];
      await expectRefused(user, { publish: [...others.map(({ type }) => subjectOf(type)), ...invented] });
    });
  });

  it('S39: they read no event but through the service’s own consumers, and no inbox, call or system subject', async () => {
    await asEach(async (service, user) => {
      const { follows, serves } = busAccessOf(service);
      const events = allEvents.filter(({ type }) => !follows.has(type.name)).map(({ type }) => subjectOf(type));
      const calls = allRpcs.filter(({ name }) => !serves.has(name)).map(({ name }) => `billing-rpc.${name}`);
      const inboxes = SERVICES.filter(other => other !== service).flatMap(other => [
        `_INBOX_${other}.>`,
        `_INBOX_${other}.${service}.>`,
      ]);
      const all = ['>', '*', 'billing.>', 'billing.*.*.v1', 'billing-rpc.>', '_INBOX.>', '$JS.>', '$SYS.>', 'EVENTS.>'];
      await expectRefused(user, { subscribe: [...events, ...calls, ...inboxes, ...all] });
    });
  });

  it('S39: they make no call but those that the service declares, and respond to none that it does not serve', async () => {
    await asEach(async (service, user) => {
      const forbidden = allRpcs
        .filter(rpc => !callersOf(rpc).includes(service))
        .map(({ name }) => `billing-rpc.${name}`);
      const callers = new Set(allRpcs.filter(({ owner }) => owner === service).flatMap(callersOf));
      const inboxes = SERVICES.flatMap(caller => [
        `_INBOX_${caller}.x`,
        ...SERVICES.filter(owner => owner !== service || !callers.has(caller)).map(
          owner => `_INBOX_${caller}.${owner}.x`,
        ),
      ]);
      await expectRefused(user, { publish: [...forbidden, ...inboxes] });
    });
  });

  it('S39: they read, change, empty or delete no stream, and no consumer of another service', async () => {
    const before = await messagesInStream();
    const verbs = [
      'CREATE',
      'UPDATE',
      'DELETE',
      'PURGE',
      'MSG.GET',
      'MSG.DELETE',
      'NAMES',
      'LIST',
      'SNAPSHOT',
      'RESTORE',
    ];
    const stream = APIS.flatMap(api => [
      ...verbs.flatMap(verb => [`${api}.STREAM.${verb}`, `${api}.STREAM.${verb}.${STREAM}`]),
      `${api}.DIRECT.GET.${STREAM}`,
      `${api}.CONSUMER.LIST.${STREAM}`,
      `${api}.CONSUMER.NAMES.${STREAM}`,
      `${api}.INFO`,
      `${api}.ACCOUNT.PURGE.SERVICES`,
      `${api}.SERVER.REMOVE`,
    ]);
    await asEach(async (service, user) => {
      const others = SERVICES.filter(other => other !== service).flatMap(other => [...busAccessOf(other).consumers]);
      const consumers = others.flatMap(([name, filter]) =>
        APIS.flatMap(api => [
          ...['INFO', 'DELETE', 'MSG.NEXT', 'PAUSE', 'DURABLE.CREATE'].map(
            verb => `${api}.CONSUMER.${verb}.${STREAM}.${name}`,
          ),
          `${api}.CONSUMER.CREATE.${STREAM}.${name}.billing.${filter}`,
          `${api}.CONSUMER.CREATE.${STREAM}.${name}`,
        ]).concat(`$JS.ACK.${STREAM}.${name}.1.1.1.1.1`),
      );
      const own = [...busAccessOf(service).consumers].flatMap(([name]) =>
        APIS.flatMap(api => [
          `${api}.CONSUMER.DELETE.${STREAM}.${name}`,
          `${api}.CONSUMER.CREATE.${STREAM}.${name}`,
          `${api}.CONSUMER.CREATE.${STREAM}.${name}.billing.>`,
        ]),
      );
      const invented = APIS.map(api => `${api}.CONSUMER.CREATE.${STREAM}.spy.billing.customer.created.v1`);
      await expectRefused(user, { publish: [...stream, ...consumers, ...own, ...invented] });
    });
    expect(await messagesInStream()).toBeGreaterThanOrEqual(before);
  });

  it('S39: they make JetStream send its responses to no place where they do harm', async () => {
    const before = await messagesInStream();
    await asEach(async (service, { nats }) => {
      for (const reply of APIS.flatMap(api => [`${api}.STREAM.DELETE.${STREAM}`, `${api}.STREAM.PURGE.${STREAM}`]))
        nats.publish(`EVENTS.API.STREAM.INFO.${STREAM}`, '', { reply });
      for (const [name] of busAccessOf(service).consumers)
        nats.publish(`$JS.ACK.${STREAM}.${name}.1.1.1.1.1`, '+ACK', { reply: `$JS.API.STREAM.DELETE.${STREAM}` });
      await nats.flush();
    });
    expect(await messagesInStream()).toBeGreaterThanOrEqual(before);
  });
});

describe('events of a taken service', () => {
  it('S39: an event under the subject of another type is dropped by its consumers and reported, and the metrics stay', async () => {
    const tenant = await newTenant();
    const { teamId, projectId, billing } = tenant;
    const subscription = await newSubscription(tenant, (await newMonthlyPrice(tenant)).priceId);
    await drain(tenant);
    const before = await billing.analytics.get();
    const forged = {
      id: randomUUID(),
      type: 'subscription.canceled.v1',
      teamId,
      occurredAt: new Date(),
      data: { ...subscription, projectId, version: 1_000_000 },
    };
    const user = users.get('referrals');
    const [own = ''] = [...busAccessOf('referrals').publishes].filter(name => name.startsWith('referral.'));
    user?.nats.publish(subjectOf({ name: own }), JSON.stringify(envelope.encode(forged)));
    user?.nats.publish(subjectOf({ name: own }), 'no event');
    await user?.nats.flush();
    await waitFor(
      async () => {
        const lines = (await readLogs()).filter(({ line }) => line.includes('"message dropped"') && line.includes(own));
        return ['foreign subject', 'malformed'].every(reason => lines.some(({ line }) => line.includes(reason)));
      },
      { what: 'the dropped messages in a log' },
    );
    expect((await billing.subscriptions.get(subscription.id)).status).toBe('active');
    expect((await billing.analytics.get()).mrr).toBe(before.mrr);
  });
});
