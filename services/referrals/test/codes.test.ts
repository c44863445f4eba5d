import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import { ReferralCodeCreated, ReferralCodeDeactivated } from '@billing/contracts/events/referrals';
import { CustomerId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject } from './project.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const error = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

describe('the program', () => {
  it('is disabled and gives no credits by default', async () => {
    const project = openProject(service);
    expect(await project.request('GET', '/config')).toEqual({
      status: 200,
      body: {
        config: {
          enabled: false,
          referrerCreditAmount: 0,
          refereeCreditAmount: 0,
          currency: 'usd',
          projectId: project.projectId,
        },
      },
    });
  });

  it('returns the last configuration, in usd by default, per project', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const config = { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 0 };
    expect(await project.request('PUT', '/config', config)).toEqual({
      status: 200,
      body: { config: { ...config, currency: 'usd', projectId: project.projectId } },
    });
    await project.request('PUT', '/config', { ...config, enabled: false, currency: 'eur' });
    const { body } = await project.request('GET', '/config');
    expect(body.config).toEqual({ ...config, enabled: false, currency: 'eur', projectId: project.projectId });
    expect((await other.request('GET', '/config')).body.config).toMatchObject({ enabled: false, currency: 'usd' });
  });

  it.each([
    [{ enabled: 'yes', referrerCreditAmount: 1, refereeCreditAmount: 1 }, ['enabled']],
    [
      { enabled: true, referrerCreditAmount: -1, refereeCreditAmount: 1.5 },
      ['referrerCreditAmount', 'refereeCreditAmount'],
    ],
    [{ enabled: true, referrerCreditAmount: 1e308, refereeCreditAmount: 1 }, ['referrerCreditAmount']],
    [
      { enabled: true, referrerCreditAmount: 1, refereeCreditAmount: 1, currency: 'USD', extra: 1 },
      ['currency', 'extra'],
    ],
    [{}, ['enabled', 'referrerCreditAmount', 'refereeCreditAmount']],
  ])('rejects %j and lists every invalid field', async (config, fields) => {
    const { status, body } = await openProject(service).request('PUT', '/config', config);
    expect(status).toBe(400);
    expect(body.error.code).toBe('validation_error');
    const named = new Set(body.error.details.fields.map((field: { path: string }) => field.path));
    expect(named).toEqual(new Set(fields));
  });
});

describe('a code', () => {
  it('is created for a customer whose events have not arrived', async () => {
    const project = openProject(service);
    const { id: customerId } = project.newCustomer();
    const { status, body } = await project.request('POST', '/codes', { customerId });
    expect(status).toBe(201);
    expect(body).toEqual({
      code: {
        code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
        customerId,
        projectId: project.projectId,
        isActive: true,
        createdAt: expect.stringMatching(/Z$/),
      },
    });
    const published = (await service.published(ReferralCodeCreated)).filter(
      event => event.data.customerId === customerId,
    );
    expect(published).toMatchObject([{ teamId: project.teamId, data: { code: body.code.code, version: 1 } }]);
  });

  it('is not created for an unknown, deleted or foreign customer', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const foreign = other.newCustomer();
    const deleted = project.newCustomer({ version: 2, deletedAt: new Date() });
    const [inOneBatch, earlier] = [project.newCustomer(), project.newCustomer()];
    const created = (state: CustomerState) => newEvent(CustomerCreated, project.teamId, state);
    const deletedEvent = (state: CustomerState) =>
      newEvent(CustomerDeleted, project.teamId, { ...state, version: 2, deletedAt: new Date() });
    await service.deliver(deletedEvent(earlier));
    await service.deliver(created(earlier), deletedEvent(inOneBatch), created(inOneBatch));
    for (const customerId of [CustomerId.create(), foreign.id, deleted.id, inOneBatch.id, earlier.id]) {
      const { status, body } = await project.request('POST', '/codes', { customerId });
      expect(status).toBe(404);
      expect(body).toEqual(error('customer_not_found'));
    }
  });

  it('is created once by twenty concurrent requests', async () => {
    const project = openProject(service);
    const { id: customerId } = project.newCustomer();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => project.request('POST', '/codes', { customerId })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    const rejected = responses.filter(({ status }) => status === 409);
    expect(rejected).toHaveLength(19);
    for (const { body } of rejected) expect(body).toEqual(error('referral_code_exists'));
  });

  it('is generated again when the project has it; another project may have it too', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    service.generateNext('SAMECODE', 'SAMECODE', 'SAMECODE', 'FREECODE', 'SAMECODE');
    expect((await project.newCode()).code).toBe('SAMECODE');
    expect((await project.newCode()).code).toBe('FREECODE');
    expect((await other.newCode()).code).toBe('SAMECODE');
  });

  it('is deactivated once, and the customer may have another one', async () => {
    const project = openProject(service);
    const { code, customerId } = await project.newCode();
    const deactivated = { status: 200, body: { code: { code, isActive: false } } };
    expect(
      await Promise.all([project.request('DELETE', `/codes/${code}`), project.request('DELETE', `/codes/${code}`)]),
    ).toEqual([deactivated, deactivated]);
    expect(await project.request('DELETE', `/codes/${code}`)).toEqual(deactivated);
    const { body } = await project.request('GET', `/codes/${code}`);
    expect(body).toEqual({
      code: { code, customerId, isActive: false, createdAt: expect.any(String) },
      referrals: [],
      pagination: { limit: 1_000, offset: 0, total: 0, hasMore: false, totalIsExact: true, nextCursor: null },
    });
    const again = await project.request('POST', '/codes', { customerId });
    expect(again.status).toBe(201);
    const published = (await service.published(ReferralCodeDeactivated)).filter(event => event.data.code === code);
    expect(published).toMatchObject([{ data: { isActive: false, version: 2 } }]);
  });

  it('is deactivated when its customer is deleted', async () => {
    const project = openProject(service);
    const { code, customerId } = await project.newCode();
    const state = service.customers.get(customerId);
    if (!state) throw new Error('The customer was created above.');
    const deleted = newEvent(CustomerDeleted, project.teamId, { ...state, version: 2, deletedAt: new Date() });
    await service.deliver(deleted, deleted);
    expect((await project.request('GET', `/codes/${code}`)).body.code.isActive).toBe(false);
    expect((await project.request('POST', '/codes', { customerId })).status).toBe(404);
  });

  it('of another project is not found, like an unknown one', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const { code } = await other.newCode();
    for (const [method, path] of [
      ['GET', `/codes/${code}`],
      ['DELETE', `/codes/${code}`],
      ['GET', '/codes/NEVERWAS'],
    ] as const) {
      const { status, body } = await project.request(method, path);
      expect(status).toBe(404);
      expect(body).toEqual(error('referral_code_not_found'));
    }
    expect((await other.request('GET', `/codes/${code}`)).body.code.isActive).toBe(true);
  });
});

it('lists the referrals of a code newest first, in pages', async () => {
  const project = openProject(service);
  await project.configure();
  const { code } = await project.newCode();
  const referees: string[] = [];
  for (const day of [1, 2, 3]) {
    service.setTime(new Date(`2026-01-0${day}T00:00:00Z`));
    const { body } = await project.apply(code, project.newCustomer().id);
    referees.push(body.referral.refereeCustomerId);
  }
  service.setTime(undefined);
  const list = async (query: string) => {
    const { body } = await project.request('GET', `/codes/${code}${query}`);
    const listed = body.referrals.map((referral: { refereeCustomerId: string }) => referral.refereeCustomerId);
    return { referees: listed, pagination: body.pagination };
  };
  expect(await list('')).toEqual({
    referees: referees.toReversed(),
    pagination: { limit: 1_000, offset: 0, total: 3, hasMore: false, totalIsExact: true, nextCursor: null },
  });
  expect(await list('?limit=1&offset=1')).toEqual({
    referees: [referees[1]],
    pagination: { limit: 1, offset: 1, total: 3, hasMore: true, totalIsExact: true, nextCursor: expect.any(String) },
  });
  expect((await project.request('GET', `/codes/${code}?limit=0`)).status).toBe(400);
});

describe('the list of codes', () => {
  it('has active codes by default, newest first, in pages', async () => {
    const project = openProject(service);
    const codes: string[] = [];
    for (const day of [1, 2, 3]) {
      service.setTime(new Date(`2026-01-0${day}T00:00:00Z`));
      codes.push((await project.newCode()).code);
    }
    service.setTime(undefined);
    const [oldest, middle, newest] = codes;
    await project.request('DELETE', `/codes/${middle}`);
    const list = async (query: string) => {
      const { body } = await project.request('GET', `/codes${query}`);
      return { codes: body.codes.map((listed: { code: string }) => listed.code), pagination: body.pagination };
    };
    expect(await list('')).toEqual({
      codes: [newest, oldest],
      pagination: { limit: 50, offset: 0, total: 2, hasMore: false, totalIsExact: true, nextCursor: null },
    });
    expect((await list('?activeOnly=false')).codes).toEqual([newest, middle, oldest]);
    expect(await list('?activeOnly=false&limit=1&offset=1')).toEqual({
      codes: [middle],
      pagination: { limit: 1, offset: 1, total: 3, hasMore: true, totalIsExact: true, nextCursor: expect.any(String) },
    });
    expect((await project.request('GET', '/codes?activeOnly=yes')).status).toBe(400);
  });

  it('has those of one customer, and nothing of another project', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const { code: first, customerId } = await project.newCode();
    await project.newCode();
    await project.request('DELETE', `/codes/${first}`);
    const { body: created } = await project.request('POST', '/codes', { customerId });
    const list = async (of: typeof project, query: string) => {
      const { body } = await of.request('GET', `/codes?customerId=${query}`);
      return { codes: body.codes.map((listed: { code: string }) => listed.code), total: body.pagination.total };
    };
    const second = created.code.code;
    expect(await list(project, customerId)).toEqual({ codes: [second], total: 1 });
    expect(await list(project, `${customerId}&activeOnly=false`)).toEqual({ codes: [second, first], total: 2 });
    expect(await list(project, `${customerId}&activeOnly=false&limit=1&offset=1`)).toEqual({
      codes: [first],
      total: 2,
    });
    expect(await list(project, CustomerId.create())).toEqual({ codes: [], total: 0 });
    expect(await list(other, `${customerId}&activeOnly=false`)).toEqual({ codes: [], total: 0 });
    expect((await project.request('GET', '/codes?customerId=grace')).status).toBe(400);
  });
});

it('lets only members and keys with the write scope create a code', async () => {
  const project = openProject(service);
  const { asKey, asUser, anonymous } = service.identity;
  const post = async (as: Record<string, string>) => {
    const body = { customerId: project.newCustomer().id };
    return (await service.call('POST', '/referrals/codes', { of: project.scope, as, body })).status;
  };
  expect(await post({})).toBe(401);
  expect(await post(anonymous())).toBe(403);
  expect(await post(asKey({ ...project.scope, scopes: ['referrals:read'] }))).toBe(403);
  expect(await post(asKey(openProject(service).scope))).toBe(403);
  expect(await post(asKey({ ...project.scope, scopes: ['referrals:write'] }))).toBe(201);
  expect(await post(asUser(project.scope))).toBe(201);
});

it('has migrations that match the entities', async () => {
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('makes no more codes of a customer than a hundred, deactivated ones included', async () => {
  const project = openProject(service);
  const { code, customerId } = await project.newCode();
  await project.request('DELETE', `/codes/${code}`);
  await service.em.fork().execute(
    `insert into referral_codes
     select (jsonb_populate_record(one, jsonb_build_object('code', code || n, 'operation_key', null))).*
       from referral_codes one, generate_series(1, 98) n where project_id = ?`,
    [project.projectId],
  );
  const create = () => project.request('POST', '/codes', { customerId });
  const last = await create();
  expect(last.status).toBe(201);
  await project.request('DELETE', `/codes/${last.body.code.code}`);
  expect(await create()).toMatchObject({
    status: 422,
    body: { error: { code: 'quota_exceeded', details: { quota: 'referral_codes', limit: 100 } } },
  });
});
