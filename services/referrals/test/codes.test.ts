import { CustomerCreated, CustomerDeleted } from '@billing/contracts/events/customers';
import { ReferralCodeCreated, ReferralCodeDeactivated } from '@billing/contracts/events/referrals';
import { CustomerId } from '@billing/contracts/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject, saidFact, startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const error = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

describe('the program', () => {
  it('is disabled and gives nothing before anyone configures it', async () => {
    const project = openProject(service);
    expect(await project.ask('GET', '/config')).toEqual({
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

  it('is what it was last set to, in usd unless told, in this project only', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const config = { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 0 };
    expect(await project.ask('PUT', '/config', config)).toEqual({
      status: 200,
      body: { config: { ...config, currency: 'usd', projectId: project.projectId } },
    });
    await project.ask('PUT', '/config', { ...config, enabled: false, currency: 'eur' });
    const { body } = await project.ask('GET', '/config');
    expect(body.config).toEqual({ ...config, enabled: false, currency: 'eur', projectId: project.projectId });
    expect((await other.ask('GET', '/config')).body.config).toMatchObject({ enabled: false, currency: 'usd' });
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
  ])('refuses %j and names every wrong field', async (config, fields) => {
    const { status, body } = await openProject(service).ask('PUT', '/config', config);
    expect(status).toBe(400);
    expect(body.error.code).toBe('validation_error');
    const named = new Set(body.error.details.fields.map((field: { path: string }) => field.path));
    expect(named).toEqual(new Set(fields));
  });
});

describe('a code', () => {
  it('is eight letters and digits, made for a customer before any fact has told of the customer', async () => {
    const project = openProject(service);
    const { id: customerId } = project.newCustomer();
    const { status, body } = await project.ask('POST', '/codes', { customerId });
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
    const told = await service.heard(ReferralCodeCreated, 1);
    expect(told).toContainEqual(expect.objectContaining({ code: body.code.code, customerId, version: 1 }));
  });

  it('is not made for a customer who is unknown, deleted, or of another project', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const foreign = other.newCustomer();
    const deleted = project.newCustomer({ version: 2, deletedAt: new Date() });
    const known = project.newCustomer();
    await service.hear(
      saidFact(CustomerDeleted, project.teamId, { ...known, version: 2, deletedAt: new Date() }),
      saidFact(CustomerCreated, project.teamId, known),
    );
    for (const customerId of [CustomerId.create(), foreign.id, deleted.id, known.id]) {
      const { status, body } = await project.ask('POST', '/codes', { customerId });
      expect(status).toBe(404);
      expect(body).toEqual(error('customer_not_found'));
    }
  });

  it('is one of a kind: of twenty asked for at once a customer gets one', async () => {
    const project = openProject(service);
    const { id: customerId } = project.newCustomer();
    const answers = await Promise.all(Array.from({ length: 20 }, () => project.ask('POST', '/codes', { customerId })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(19);
    for (const { body } of refused) expect(body).toEqual(error('referral_code_exists'));
  });

  it('is drawn again when the project has it already, and may be the same in another project', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    service.drawNext('SAMECODE', 'SAMECODE', 'SAMECODE', 'FREECODE', 'SAMECODE');
    expect((await project.newCode()).code).toBe('SAMECODE');
    expect((await project.newCode()).code).toBe('FREECODE');
    expect((await other.newCode()).code).toBe('SAMECODE');
  });

  it('ends when it is deactivated, once; the customer may then have another', async () => {
    const project = openProject(service);
    const { code, customerId } = await project.newCode();
    const ended = { status: 200, body: { code: { code, isActive: false } } };
    expect(
      await Promise.all([project.ask('DELETE', `/codes/${code}`), project.ask('DELETE', `/codes/${code}`)]),
    ).toEqual([ended, ended]);
    expect(await project.ask('DELETE', `/codes/${code}`)).toEqual(ended);
    const { body } = await project.ask('GET', `/codes/${code}`);
    expect(body).toEqual({
      code: { code, customerId, isActive: false, createdAt: expect.any(String) },
      referrals: [],
      pagination: { limit: 100, offset: 0, total: 0, hasMore: false },
    });
    const again = await project.ask('POST', '/codes', { customerId });
    expect(again.status).toBe(201);
    const told = await service.heard(ReferralCodeDeactivated, 1);
    expect(told.filter(fact => fact.code === code)).toEqual([
      expect.objectContaining({ code, isActive: false, version: 2 }),
    ]);
  });

  it('ends when its customer is deleted', async () => {
    const project = openProject(service);
    const { code, customerId } = await project.newCode();
    const state = service.customers.get(customerId);
    if (!state) throw new Error('The customer was made above.');
    const deleted = saidFact(CustomerDeleted, project.teamId, { ...state, version: 2, deletedAt: new Date() });
    await service.hear(deleted, deleted);
    expect((await project.ask('GET', `/codes/${code}`)).body.code.isActive).toBe(false);
    expect((await project.ask('POST', '/codes', { customerId })).status).toBe(404);
  });

  it('of another project is as absent as one that never was', async () => {
    const [project, other] = [openProject(service), openProject(service)];
    const { code } = await other.newCode();
    for (const [method, path] of [
      ['GET', `/codes/${code}`],
      ['DELETE', `/codes/${code}`],
      ['GET', '/codes/NEVERWAS'],
    ] as const) {
      const { status, body } = await project.ask(method, path);
      expect(status).toBe(404);
      expect(body).toEqual(error('referral_code_not_found'));
    }
    expect((await other.ask('GET', `/codes/${code}`)).body.code.isActive).toBe(true);
  });
});

it('the history of a code has the newest referral first, page by page', async () => {
  const project = openProject(service);
  await project.configure();
  const { code } = await project.newCode();
  const referees: string[] = [];
  for (const day of [1, 2, 3]) {
    service.setClock(new Date(`2026-01-0${day}T00:00:00Z`));
    const { body } = await project.apply(code, project.newCustomer().id);
    referees.push(body.referral.refereeCustomerId);
  }
  service.setClock(undefined);
  const history = async (query: string) => {
    const { body } = await project.ask('GET', `/codes/${code}${query}`);
    const told = body.referrals.map((made: { refereeCustomerId: string }) => made.refereeCustomerId);
    return { referees: told, pagination: body.pagination };
  };
  expect(await history('')).toEqual({
    referees: referees.toReversed(),
    pagination: { limit: 100, offset: 0, total: 3, hasMore: false },
  });
  expect(await history('?limit=1&offset=1')).toEqual({
    referees: [referees[1]],
    pagination: { limit: 1, offset: 1, total: 3, hasMore: true },
  });
  expect((await project.ask('GET', `/codes/${code}?limit=0`)).status).toBe(400);
});

describe('the list of codes', () => {
  it('has the newest first, active ones unless told otherwise, page by page', async () => {
    const project = openProject(service);
    const codes: string[] = [];
    for (const day of [1, 2, 3]) {
      service.setClock(new Date(`2026-01-0${day}T00:00:00Z`));
      codes.push((await project.newCode()).code);
    }
    service.setClock(undefined);
    const [oldest, middle, newest] = codes;
    await project.ask('DELETE', `/codes/${middle}`);
    const list = async (query: string) => {
      const { body } = await project.ask('GET', `/codes${query}`);
      return { codes: body.codes.map((listed: { code: string }) => listed.code), pagination: body.pagination };
    };
    expect(await list('')).toEqual({
      codes: [newest, oldest],
      pagination: { limit: 50, offset: 0, total: 2, hasMore: false },
    });
    expect((await list('?activeOnly=false')).codes).toEqual([newest, middle, oldest]);
    expect(await list('?activeOnly=false&limit=1&offset=1')).toEqual({
      codes: [middle],
      pagination: { limit: 1, offset: 1, total: 3, hasMore: true },
    });
    expect((await project.ask('GET', '/codes?activeOnly=yes')).status).toBe(400);
  });
});

it('lets in only who may: reading needs the read scope, writing the write scope', async () => {
  const project = openProject(service);
  const path = `/api/service/teams/${project.teamId}/projects/${project.projectId}/referrals/codes`;
  const { asKey, asUser, anonymous } = service.identity;
  const post = async (headers: Record<string, string>) => {
    const payload = { customerId: project.newCustomer().id };
    return (await service.app.inject({ method: 'POST', url: path, headers, payload })).statusCode;
  };
  expect(await post({})).toBe(401);
  expect(await post(anonymous())).toBe(403);
  expect(await post(asKey({ ...project.scope, scopes: ['referrals:read'] }))).toBe(403);
  expect(await post(asKey(openProject(service).scope))).toBe(403);
  expect(await post(asKey({ ...project.scope, scopes: ['referrals:write'] }))).toBe(201);
  expect(await post(asUser(project.scope))).toBe(201);
});

it('has migrations that lead to what the entities say', async () => {
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});
