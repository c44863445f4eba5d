import { CustomerDeleted } from '@billing/contracts/events/customers';
import { ReferralConverted, ReferralCreated } from '@billing/contracts/events/referrals';
import { CustomerId } from '@billing/contracts/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reactToSubscriptions } from '../src/reactions/subscriptions.ts';
import { openProject, saidFact, startService, type Service } from './service.ts';
import { subscribing } from './subscribing.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const error = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

async function openProgram() {
  const project = openProject(service);
  await project.configure();
  return project;
}

describe('applying a code', () => {
  it('makes a pending referral and tells of it', async () => {
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
    const history = await project.ask('GET', `/codes/${code}`);
    expect(history.body.referrals).toEqual([
      { id: body.referral.id, refereeCustomerId, status: 'pending', createdAt: expect.any(String), convertedAt: null },
    ]);
    const told = await service.heard(ReferralCreated, 1);
    expect(told).toContainEqual(expect.objectContaining({ id: body.referral.id, status: 'pending' }));
  });

  it('needs a code of the project, spelled as it is', async () => {
    const [project, other] = [await openProgram(), await openProgram()];
    const { id } = project.newCustomer();
    const foreign = await other.newCode();
    for (const code of ['NEVERWAS', foreign.code]) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([404, error('referral_code_not_found')]);
    }
    expect((await project.apply('short', id)).status).toBe(400);
  });

  it('needs an active code', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    await project.ask('DELETE', `/codes/${code}`);
    const { status, body } = await project.apply(code, project.newCustomer().id);
    expect([status, body]).toEqual([422, error('referral_code_inactive')]);
  });

  it('does not work with the code of a customer who was deleted', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const state = service.customers.get(customerId);
    if (!state) throw new Error('The customer was made above.');
    await service.hear(saidFact(CustomerDeleted, project.teamId, { ...state, version: 2, deletedAt: new Date() }));
    const { status, body } = await project.apply(code, project.newCustomer().id);
    expect([status, body]).toEqual([422, error('referral_code_inactive')]);
  });

  it('needs a program that is configured and enabled', async () => {
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

  it('is refused to the referrer', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const { status, body } = await project.apply(code, customerId);
    expect([status, body]).toEqual([409, error('referral_self')]);
  });

  it('needs a customer of the project', async () => {
    const [project, other] = [await openProgram(), await openProgram()];
    const { code } = await project.newCode();
    for (const id of [CustomerId.create(), other.newCustomer().id]) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([404, error('customer_not_found')]);
    }
  });

  it('works once for a customer: of twenty applications at once, of two codes, one is made', async () => {
    const project = await openProgram();
    const codes = [await project.newCode(), await project.newCode()];
    const { id } = project.newCustomer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => project.apply(codes[index % 2]?.code ?? '', id)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { status, body } of refused) expect([status, body]).toEqual([409, error('referral_already_applied')]);
  });

  it('works once for a customer, whichever code comes second, also after the conversion', async () => {
    const project = await openProgram();
    const codes = [await project.newCode(), await project.newCode()];
    const { id } = project.newCustomer();
    expect((await project.apply(codes[0]?.code ?? '', id)).status).toBe(201);
    for (const { code } of codes) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([409, error('referral_already_applied')]);
    }
    await service.hear(subscribing(project.scope, id));
    const { status, body } = await project.apply(codes[1]?.code ?? '', id);
    expect([status, body]).toEqual([409, error('referral_already_applied')]);
  });

  it('is refused to one who has subscribed, by what a fact told or else by rpc', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const [told, asked] = [project.newCustomer(), project.newCustomer()];
    await service.hear(subscribing(project.scope, told.id));
    service.subscribers.add(asked.id);
    for (const { id } of [told, asked]) {
      const { status, body } = await project.apply(code, id);
      expect([status, body]).toEqual([409, error('referral_already_subscribed')]);
    }
  });

  it('waits for a subscriptions service that does not answer rather than guess', async () => {
    await using lonely = await startService({ isSubscriptionsThere: false });
    const project = openProject(lonely);
    await project.configure();
    const { code } = await project.newCode();
    const { status, body } = await project.apply(code, project.newCustomer().id);
    expect([status, body]).toEqual([503, error('unavailable')]);
  });
});

describe('a conversion', () => {
  it('happens once, however often and by however many copies the subscription is heard of', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    const { referral } = (await project.apply(code, id)).body;
    service.setClock(new Date('2026-05-05T05:05:05.000Z'));
    const first = subscribing(project.scope, id);
    const copy = reactToSubscriptions(service.em, service.clock, service.logger);
    await Promise.all([service.hear(first, first), copy.receive(first, 1), copy.receive(first, 1)]);
    service.setClock(new Date('2026-06-06T06:06:06.000Z'));
    await service.hear(subscribing(project.scope, id), subscribing(project.scope, id));
    service.setClock(undefined);
    const { body } = await project.ask('GET', `/codes/${code}`);
    expect(body.referrals).toEqual([
      expect.objectContaining({ id: referral.id, status: 'converted', convertedAt: '2026-05-05T05:05:05.000Z' }),
    ]);
    const told = await service.heard(ReferralConverted, 1);
    expect(told.filter(fact => fact.id === referral.id)).toHaveLength(1);
    const { credits } = (await project.ask('GET', '/credits')).body;
    expect(credits).toHaveLength(2);
  });

  it('comes about among many subscriptions at once, and the other customers cannot be referred any more', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const referred = [project.newCustomer(), project.newCustomer(), project.newCustomer()];
    const others = Array.from({ length: 30 }, () => project.newCustomer());
    for (const { id } of referred) await project.apply(code, id);
    const facts = [...others, ...referred, ...referred].map(({ id }) => subscribing(project.scope, id));
    await service.hear(...facts, ...facts);
    const { body } = await project.ask('GET', `/codes/${code}`);
    expect(body.referrals.map((one: { status: string }) => one.status)).toEqual(referred.map(() => 'converted'));
    expect((await project.ask('GET', '/credits')).body.credits).toHaveLength(2 * referred.length);
    const [first, last] = [others[0], others.at(-1)];
    for (const customer of [first, last]) {
      const { status, body: refusal } = await project.apply(code, customer?.id ?? CustomerId.create());
      expect([status, refusal]).toEqual([409, error('referral_already_subscribed')]);
    }
  });

  it('comes about with a deactivated code and a disabled program, too', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    await project.apply(code, id);
    await project.ask('DELETE', `/codes/${code}`);
    await project.configure({ enabled: false });
    await service.hear(subscribing(project.scope, id));
    expect((await project.ask('GET', `/codes/${code}`)).body.referrals).toMatchObject([{ status: 'converted' }]);
    expect((await project.ask('GET', '/credits')).body.credits).toHaveLength(2);
  });

  it('earns by the amounts of its time, and nothing where they are zero', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const [early, late] = [project.newCustomer(), project.newCustomer()];
    await project.apply(code, early.id);
    await project.apply(code, late.id);
    await service.hear(subscribing(project.scope, early.id));
    await project.configure({ referrerCreditAmount: 700, refereeCreditAmount: 0, currency: 'eur' });
    await service.hear(subscribing(project.scope, late.id));
    const { credits, pagination } = (await project.ask('GET', '/credits')).body;
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3, hasMore: false });
    const earned = credits.map(({ side, customerId: customer, amount, currency, status }: Record<string, unknown>) => ({
      side,
      customer,
      amount,
      currency,
      status,
    }));
    const pending = { status: 'pending' };
    expect(earned).toHaveLength(3);
    expect(earned).toEqual(
      expect.arrayContaining([
        { ...pending, side: 'referrer', customer: customerId, amount: 500, currency: 'usd' },
        { ...pending, side: 'referee', customer: early.id, amount: 300, currency: 'usd' },
        { ...pending, side: 'referrer', customer: customerId, amount: 700, currency: 'eur' },
      ]),
    );
  });
});
