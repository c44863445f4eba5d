import { CustomerDeleted } from '@billing/contracts/events/customers';
import { ReferralCreated } from '@billing/contracts/events/referrals';
import { CustomerId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject, openProgram as openProgramOf } from './project.ts';
import { startService, type Service } from './service.ts';
import { subscriptionCreated } from './subscription-created.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const error = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

const openProgram = () => openProgramOf(service);

describe('applying a code', () => {
  it('creates a pending referral and publishes it', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const { id: refereeCustomerId } = project.newCustomer();
    const { status, body } = await project.apply(code, refereeCustomerId);
    expect(status).toBe(201);
    expect(body.referral).toEqual({
      id: expect.stringMatching(/^ref_/),
      code,
      referrerCustomerId: customerId,
      refereeCustomerId,
      status: 'pending',
      createdAt: expect.stringMatching(/Z$/),
    });
    const stored = await project.request('GET', `/codes/${code}`);
    expect(stored.body.referrals).toEqual([
      { id: body.referral.id, refereeCustomerId, status: 'pending', createdAt: expect.any(String), convertedAt: null },
    ]);
    const published = (await service.published(ReferralCreated)).filter(event => event.data.id === body.referral.id);
    expect(published).toMatchObject([{ teamId: project.teamId, data: { code, status: 'pending' } }]);
  });

  it('requires a code of the project', async () => {
    const [project, other] = [await openProgram(), await openProgram()];
    const { id } = project.newCustomer();
    const foreign = await other.newCode();
    for (const code of ['NEVERWAS', foreign.code]) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([404, error('referral_code_not_found')]);
    }
    expect((await project.apply('short', id)).status).toBe(400);
  });

  it('takes a code in any case, and shows it in one', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const lower = code.toLowerCase();
    const applied = await project.apply(lower, project.newCustomer().id);
    expect(applied).toMatchObject({ status: 201, body: { referral: { code } } });
    const found = await project.request('GET', `/codes/${lower}`);
    expect(found.body).toMatchObject({ code: { code }, referrals: [{ id: applied.body.referral.id }] });
    expect((await project.request('DELETE', `/codes/${lower}`)).body).toEqual({ code: { code, isActive: false } });
  });

  it('requires an active code', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    await project.request('DELETE', `/codes/${code}`);
    const { status, body } = await project.apply(code, project.newCustomer().id);
    expect([status, body]).toEqual([422, error('referral_code_inactive')]);
  });

  it('S42: rejects the code of a deleted customer', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const state = service.customers.get(customerId);
    if (!state) throw new Error('The customer was created above.');
    await service.deliver(newEvent(CustomerDeleted, project.teamId, { ...state, version: 2, deletedAt: new Date() }));
    const { status, body } = await project.apply(code, project.newCustomer().id);
    expect([status, body]).toEqual([422, error('referral_code_inactive')]);
  });

  it('requires a configured and enabled program', async () => {
    const project = openProject(service);
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    const disabled = [422, error('referral_program_disabled')];
    const apply = async () => {
      const { status, body } = await project.apply(code, id);
      return [status, body];
    };
    expect(await apply()).toEqual(disabled);
    await project.configure({ enabled: false });
    expect(await apply()).toEqual(disabled);
    await project.configure();
    expect((await apply())[0]).toBe(201);
  });

  it('S42: rejects the referrer', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const { status, body } = await project.apply(code, customerId);
    expect([status, body]).toEqual([409, error('referral_self')]);
  });

  it('requires a customer of the project', async () => {
    const [project, other] = [await openProgram(), await openProgram()];
    const { code } = await project.newCode();
    for (const id of [CustomerId.create(), other.newCustomer().id]) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([404, error('customer_not_found')]);
    }
  });

  it('S42: succeeds once for twenty concurrent requests with two codes', async () => {
    const project = await openProgram();
    const codes = [await project.newCode(), await project.newCode()];
    const { id } = project.newCustomer();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => project.apply(codes[index % 2]?.code ?? '', id)),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    const rejected = responses.filter(({ status }) => status !== 201);
    for (const { status, body } of rejected) expect([status, body]).toEqual([409, error('referral_already_applied')]);
  });

  it('rejects a second code, also after the conversion', async () => {
    const project = await openProgram();
    const codes = [await project.newCode(), await project.newCode()];
    const { id } = project.newCustomer();
    expect((await project.apply(codes[0]?.code ?? '', id)).status).toBe(201);
    for (const { code } of codes) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([409, error('referral_already_applied')]);
    }
    await service.deliver(subscriptionCreated(project.scope, id));
    const { status, body } = await project.apply(codes[1]?.code ?? '', id);
    expect([status, body]).toEqual([409, error('referral_already_applied')]);
  });

  it('rejects a subscriber known by an event or only by RPC', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const [byEvent, byRpc] = [project.newCustomer(), project.newCustomer()];
    await service.deliver(subscriptionCreated(project.scope, byEvent.id));
    service.subscribers.add(byRpc.id);
    for (const { id } of [byEvent, byRpc]) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([409, error('referral_already_subscribed')]);
    }
  });

  it('returns 503 when the subscriptions service does not reply', async () => {
    await using alone = await startService({ isSubscriptionsUp: false });
    const project = openProject(alone);
    await project.configure();
    const { code } = await project.newCode();
    const { status, body } = await project.apply(code, project.newCustomer().id);
    expect([status, body]).toEqual([503, error('unavailable')]);
  });
});

describe('the list of referrals', () => {
  it('tells who referred a customer, and whether that converted', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const { id: refereeCustomerId } = project.newCustomer();
    const { referral } = (await project.apply(code, refereeCustomerId)).body;
    await project.apply(code, project.newCustomer().id);
    const path = `?refereeCustomerId=${refereeCustomerId}`;
    const pending = {
      id: referral.id,
      code,
      referrerCustomerId: customerId,
      refereeCustomerId,
      status: 'pending',
      createdAt: referral.createdAt,
      convertedAt: null,
    };
    expect(await project.request('GET', path)).toEqual({
      status: 200,
      body: {
        referrals: [pending],
        pagination: { limit: 50, offset: 0, total: 1, hasMore: false, totalIsExact: true, nextCursor: null },
      },
    });
    await service.deliver(subscriptionCreated(project.scope, refereeCustomerId));
    const converted = { ...pending, status: 'converted', convertedAt: expect.stringMatching(/Z$/) };
    expect((await project.request('GET', path)).body.referrals).toEqual([converted]);
  });

  it('has those of a referrer by status, newest first, in pages', async () => {
    const project = await openProgram();
    const [{ code, customerId }, other] = [await project.newCode(), await project.newCode()];
    const referees: CustomerId[] = [];
    for (const [day, used] of [code, other.code, code, code].entries()) {
      service.setTime(new Date(`2026-01-0${day + 1}T00:00:00Z`));
      const { id } = project.newCustomer();
      await project.apply(used, id);
      referees.push(id);
    }
    service.setTime(undefined);
    const [oldest, ofOther, middle, newest] = referees;
    if (!middle) throw new Error('Four customers were referred.');
    await service.deliver(subscriptionCreated(project.scope, middle));
    const list = async (query: string) => {
      const { body } = await project.request('GET', query);
      const listed = body.referrals.map((referral: { refereeCustomerId: string }) => referral.refereeCustomerId);
      return { referees: listed, pagination: body.pagination };
    };
    expect((await list('')).referees).toEqual([newest, middle, ofOther, oldest]);
    const path = `?referrerCustomerId=${customerId}`;
    expect((await list(path)).referees).toEqual([newest, middle, oldest]);
    expect((await list(`${path}&status=converted`)).referees).toEqual([middle]);
    expect((await list(`${path}&refereeCustomerId=${ofOther}`)).referees).toEqual([]);
    expect(await list(`${path}&status=pending&limit=1&offset=1`)).toEqual({
      referees: [oldest],
      pagination: { limit: 1, offset: 1, total: 2, hasMore: false, totalIsExact: true, nextCursor: null },
    });
    for (const query of ['?limit=0', '?status=canceled', '?referrerCustomerId=grace', '?code=NEVERWAS'])
      expect((await project.request('GET', query)).status).toBe(400);
  });

  it('shows nothing of another project, whichever customer is named', async () => {
    const [project, other] = [await openProgram(), await openProgram()];
    const { code, customerId } = await project.newCode();
    const { id } = project.newCustomer();
    await project.apply(code, id);
    for (const query of ['', `?refereeCustomerId=${id}`, `?referrerCustomerId=${customerId}`]) {
      expect((await project.request('GET', query)).body.referrals).toHaveLength(1);
      expect((await other.request('GET', query)).body).toEqual({
        referrals: [],
        pagination: { limit: 50, offset: 0, total: 0, hasMore: false, totalIsExact: true, nextCursor: null },
      });
    }
  });
});
