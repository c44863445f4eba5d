import { AuditRecorded } from '@billing/contracts/events/audit';
import { ProjectId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { deleteOldUsage } from '../src/usage/usage-rows.ts';
import { startUsage } from './start-usage.ts';

const DAY_MS = 86_400_000;

it('records usage by either id of a customer, and the processor counts it', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer({ email: 'ada@example.com', externalId: 'user-815' });
  const at = new Date(Date.now() - 1_000).toISOString();
  const events = [
    { id: 'a', customerId: ada.id, meter: 'calls', value: 30 },
    { id: 'b', externalId: 'user-815', meter: 'calls', value: 12, at },
  ];
  expect(await service.record(events)).toMatchObject({ status: 202, body: { accepted: 2, duplicates: 0 } });
  const pending = { customerId: ada.id, meter: 'calls', status: 'pending', reason: null, sentAt: null };
  expect(await service.list()).toEqual([
    { ...pending, id: 'a', value: 30, at: expect.any(String), createdAt: expect.any(String) },
    { ...pending, id: 'b', value: 12, at, createdAt: expect.any(String) },
  ]);
  expect(await service.counted(ada)).toBe(0);
  await service.drain();
  expect(await service.counted(ada)).toBe(42);
  const sent = { status: 'sent', sentAt: expect.any(String) };
  expect(await service.list()).toMatchObject([sent, sent]);
  const entries = (await service.published(AuditRecorded)).filter(({ data }) => data.action === 'recordUsage');
  expect(entries.map(({ data }) => data.changes)).toEqual([
    [
      { field: 'accepted', from: null, to: 2 },
      { field: 'duplicates', from: null, to: 0 },
    ],
  ]);
});

it('is sent by the running service', async () => {
  await using service = await startUsage();
  await service.run();
  const ada = await service.createCustomer();
  await service.record([{ id: 'a', customerId: ada.id, meter: 'calls', value: 5 }]);
  await waitFor(async () => (await service.counted(ada)) > 0, { what: 'the usage to be counted' });
  expect(await service.counted(ada)).toBe(5);
});

it.each([
  ['nothing', []],
  ['too many', Array.from({ length: 101 }, (_, index) => ({ id: `e${index}` }))],
  ['a negative value', [{ value: -1 }]],
  ['a fraction', [{ value: 1.5 }]],
  ['more than 15 digits', [{ value: 1_000_000_000_000_000 }]],
  ['no customer', [{ customerId: undefined }]],
  ['two ids of a customer', [{ externalId: 'user-815' }]],
  ['an unknown field', [{ amount: 1 }]],
])('refuses %s', async (_, events) => {
  await using service = await startUsage();
  const { id } = await service.createCustomer();
  const whole = events.map(changes => ({ id: 'a', customerId: id, meter: 'calls', value: 1, ...changes }));
  expect((await service.record(whole)).status).toBe(400);
  expect(await service.list()).toEqual([]);
});

it('refuses all events for a wrong one, and names every wrong one', async () => {
  await using service = await startUsage();
  const { id: customerId } = await service.createCustomer();
  const event = { customerId, meter: 'calls', value: 1 };
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const wrong = [
    { ...event, id: 'right' },
    { ...event, id: 'late', at: at(6 * 60_000) },
    { ...event, id: 'old', at: at(-35 * DAY_MS) },
    { ...event, id: 'of nobody', customerId: 'pc_0000000000000000000000' },
  ];
  expect(await service.record(wrong)).toMatchObject({
    status: 422,
    body: {
      error: {
        code: 'usage_in_future',
        details: {
          events: [
            { index: 1, id: 'late', code: 'usage_in_future' },
            { index: 2, id: 'old', code: 'usage_too_old' },
            { index: 3, id: 'of nobody', code: 'customer_not_found' },
          ],
        },
      },
    },
  });
  const other = { ...service.scope, projectId: ProjectId.create() };
  for (const of of [other, service.scope]) {
    const events = of === other ? [wrong[0] ?? {}] : [{ ...event, id: 'a', customerId: undefined, externalId: 'none' }];
    expect(await service.record(events, of)).toMatchObject({
      status: 404,
      body: { error: { code: 'customer_not_found' } },
    });
  }
  expect(await service.list()).toEqual([]);
});

it('takes an id once in a project, and refuses another event under it', async () => {
  await using service = await startUsage();
  const { id: customerId } = await service.createCustomer();
  const event = { id: 'a', customerId, meter: 'calls', value: 1 };
  expect((await service.record([event, event])).body).toEqual({ accepted: 1, duplicates: 1 });
  expect((await service.record([event, { ...event, id: 'b' }])).body).toEqual({ accepted: 1, duplicates: 1 });
  for (const changed of [{ value: 2 }, { meter: 'other' }, { at: new Date().toISOString() }])
    expect(
      await service.record([
        { ...event, id: 'c' },
        { ...event, ...changed },
      ]),
    ).toMatchObject({
      status: 409,
      body: { error: { code: 'usage_id_taken', details: { events: [{ index: 1, id: 'a' }] } } },
    });
  await service.drain();
  expect(await service.counted({ id: customerId })).toBe(2);
  const other = { ...service.scope, projectId: ProjectId.create() };
  const bob = await service.createCustomer({ email: 'bob@example.com' }, other);
  const ofBob = [{ ...event, customerId: bob.id }];
  expect((await service.record(ofBob, other)).body).toEqual({ accepted: 1, duplicates: 0 });
  await service.drain();
  expect(await service.counted(bob, 'calls', other)).toBe(1);
});

it('takes an event once that many requests bring at the same time', async () => {
  await using service = await startUsage();
  const { id: customerId } = await service.createCustomer();
  const events = ['a', 'b', 'c'].map(id => ({ id, customerId, meter: 'calls', value: 1 }));
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => service.record(index % 2 ? events : events.toReversed())),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(responses.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(3);
  const values = await Promise.all([1, 2].map(value => service.record([{ ...events[0], id: 'd', value }])));
  expect(values.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
});

it('remembers an id for 40 days', async () => {
  await using service = await startUsage();
  const { id: customerId } = await service.createCustomer();
  const event = { id: 'a', customerId, meter: 'calls', value: 1 };
  await service.record([event, { ...event, id: 'pending', meter: 'none' }]);
  await service.em.fork().execute(`update usage_events set status = 'sent' where id = 'a'`);
  const clean = (days: number) => deleteOldUsage(service.em, new Date(Date.now() + days * DAY_MS));
  await clean(39.9);
  expect((await service.record([event])).body).toEqual({ accepted: 0, duplicates: 1 });
  await clean(40.1);
  expect(await service.list()).toMatchObject([{ id: 'pending' }]);
  expect((await service.record([event])).body).toEqual({ accepted: 1, duplicates: 0 });
});

it('lists usage of a project, newest first, by status, customer and meter', async () => {
  await using service = await startUsage();
  const [ada, bob] = [
    await service.createCustomer({ email: 'ada@example.com' }),
    await service.createCustomer({ email: 'bob@example.com' }),
  ];
  await service.record([{ id: 'a', customerId: ada.id, meter: 'calls', value: 1 }]);
  await service.drain();
  await service.record([{ id: 'b', customerId: ada.id, meter: 'none', value: 1 }]);
  await service.drain();
  await service.record([{ id: 'c', customerId: bob.id, meter: 'calls', value: 1 }]);
  const ids = async (query: string) => (await service.list(query)).map(({ id }) => id);
  expect(await ids('')).toEqual(['c', 'b', 'a']);
  expect(await ids('?status=pending')).toEqual(['c']);
  expect(await ids('?status=sent')).toEqual(['a']);
  expect(await ids('?status=rejected')).toEqual(['b']);
  expect(await ids(`?customerId=${ada.id}`)).toEqual(['b', 'a']);
  expect(await ids('?meter=calls')).toEqual(['c', 'a']);
  expect(await ids('?limit=1&offset=1')).toEqual(['b']);
  const { body } = await service.call('GET', '/usage?limit=2');
  expect(await ids(`?limit=2&cursor=${body.pagination.nextCursor}`)).toEqual(['a']);
  expect(await service.list('', { ...service.scope, projectId: ProjectId.create() })).toEqual([]);
});

it('sums up usage, by hour and by UTC day too, in whole minutes', async () => {
  await using service = await startUsage();
  const ada = await service.createCustomer();
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
  const at = (minutes: number) => new Date(day + minutes * 60_000).toISOString();
  const events = [0, 59, 60, 1_440].map((minutes, index) => {
    return { id: `e${index}`, customerId: ada.id, meter: 'calls', value: 2 ** index, at: at(minutes) };
  });
  await service.record(events);
  await service.drain();
  const sums = async (start: number, end: number, more = '') => {
    const query = `meter=calls&start=${at(start)}&end=${at(end)}${more}`;
    const { body } = await service.call('GET', `/customers/${ada.id}/usage?${query}`);
    return body.summaries;
  };
  expect(await sums(0.5, 1_439.5)).toEqual([{ start: at(0), end: at(1_440), value: 7 }]);
  expect(await sums(0.5, 1_439.5, '&window=hour')).toEqual([
    { start: at(0), end: at(60), value: 3 },
    { start: at(60), end: at(120), value: 4 },
  ]);
  expect(await sums(100, 1_500, '&window=day')).toEqual([
    { start: at(0), end: at(1_440), value: 7 },
    { start: at(1_440), end: at(2_880), value: 8 },
  ]);
  const codeOf = async (path: string) => {
    const { status, body } = await service.call('GET', path);
    return [status, body.error.code];
  };
  const span = `start=${at(0)}&end=${at(1)}`;
  expect(await codeOf(`/customers/${ada.id}/usage?meter=none&${span}`)).toEqual([404, 'meter_not_found']);
  const nobody = '/customers/pc_0000000000000000000000/usage';
  expect(await codeOf(`${nobody}?meter=calls&${span}`)).toEqual([404, 'customer_not_found']);
  const backwards = `start=${at(1)}&end=${at(0)}`;
  expect(await codeOf(`/customers/${ada.id}/usage?meter=calls&${backwards}`)).toEqual([400, 'validation_error']);
});
