import { ReferralConverted } from '@billing/contracts/events/referrals';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credit } from './crediting.ts';
import { openProject, openProgram as openProgramOf } from './project.ts';
import { startService, type Service } from './service.ts';
import { subscriptionCreated } from './subscription-created.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const error = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

const openProgram = () => openProgramOf(service);

describe('a conversion', () => {
  it('happens once for repeated events, in two copies of the service', async () => {
    await using copy = await service.startCopy();
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    const { referral } = (await project.apply(code, id)).body;
    service.setTime(new Date('2026-05-05T05:05:05.000Z'));
    const first = subscriptionCreated(project.scope, id);
    await Promise.all([service.deliver(first, first), copy.deliver(first), copy.deliver(first)]);
    service.setTime(new Date('2026-06-06T06:06:06.000Z'));
    await service.deliver(subscriptionCreated(project.scope, id), subscriptionCreated(project.scope, id));
    service.setTime(undefined);
    const { body } = await project.request('GET', `/codes/${code}`);
    expect(body.referrals).toEqual([
      expect.objectContaining({ id: referral.id, status: 'converted', convertedAt: '2026-05-05T05:05:05.000Z' }),
    ]);
    const published = (await service.published(ReferralConverted)).filter(event => event.data.id === referral.id);
    expect(published).toHaveLength(1);
    const { credits } = (await project.request('GET', '/credits')).body;
    expect(credits).toHaveLength(2);
  });

  it('happens within a batch, and other subscribers can no longer be referred', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const referred = [project.newCustomer(), project.newCustomer(), project.newCustomer()];
    const others = Array.from({ length: 30 }, () => project.newCustomer());
    for (const { id } of referred) await project.apply(code, id);
    const events = [...others, ...referred, ...referred].map(({ id }) => subscriptionCreated(project.scope, id));
    await service.deliver(...events, ...events);
    const { body } = await project.request('GET', `/codes/${code}`);
    expect(body.referrals.map((one: { status: string }) => one.status)).toEqual(referred.map(() => 'converted'));
    expect((await project.request('GET', '/credits')).body.credits).toHaveLength(2 * referred.length);
    for (const customer of others.slice(0, 2)) {
      const { status, body: rejection } = await project.apply(code, customer.id);
      expect([status, rejection]).toEqual([409, error('referral_already_subscribed')]);
    }
  });

  it('happens for several projects in one batch, each with its own amounts', async () => {
    const [first, second, unreferred] = [await openProgram(), await openProgram(), openProject(service)];
    await second.configure({ referrerCreditAmount: 9, refereeCreditAmount: 0, currency: 'jpy' });
    const events = [subscriptionCreated(unreferred.scope, unreferred.newCustomer().id)];
    for (const project of [first, second]) {
      const { id } = project.newCustomer();
      await project.apply((await project.newCode()).code, id);
      events.push(subscriptionCreated(project.scope, id));
    }
    await service.deliver(...events);
    const amountsOf = async ({ request }: typeof first) => {
      const { credits } = (await request('GET', '/credits')).body;
      return credits.map(({ amount, currency }: Credit) => `${amount} ${currency}`).toSorted();
    };
    expect([await amountsOf(first), await amountsOf(second), await amountsOf(unreferred)]).toEqual([
      ['300 usd', '500 usd'],
      ['9 jpy'],
      [],
    ]);
  });

  it.each([
    ['in the second of the referral', 0, 'converted'],
    ['a second before it', -1, 'pending'],
    ['long before it', -86_400, 'pending'],
  ])('counts a subscription that started %s', async (_when, seconds, status) => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    const applied = await project.apply(code, id);
    const second = Math.floor(Date.parse(applied.body.referral.createdAt) / 1_000);
    const startedAt = new Date((second + seconds) * 1_000);
    // An old one may become known by its end.
    const ended = subscriptionCreated(project.scope, id, { startedAt, status: 'canceled', endedAt: new Date() });
    await service.deliver(ended);
    expect((await project.request('GET', `/codes/${code}`)).body.referrals).toMatchObject([{ status }]);
    // Whether it ever was active is not known.
    expect((await project.request('GET', '/credits')).body.credits).toEqual([]);
    // A later one still counts.
    await service.deliver(subscriptionCreated(project.scope, id));
    expect((await project.request('GET', '/credits')).body.credits).toHaveLength(2);
  });

  it('also happens with a deactivated code and a disabled program', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    await project.apply(code, id);
    await project.request('DELETE', `/codes/${code}`);
    await project.configure({ enabled: false });
    await service.deliver(subscriptionCreated(project.scope, id));
    expect((await project.request('GET', `/codes/${code}`)).body.referrals).toMatchObject([{ status: 'converted' }]);
    expect((await project.request('GET', '/credits')).body.credits).toHaveLength(2);
  });

  it('credits the current amounts of the program, and none where zero', async () => {
    const project = await openProgram();
    const { code, customerId } = await project.newCode();
    const [early, late] = [project.newCustomer(), project.newCustomer()];
    await project.apply(code, early.id);
    await project.apply(code, late.id);
    await service.deliver(subscriptionCreated(project.scope, early.id));
    await project.configure({ referrerCreditAmount: 700, refereeCreditAmount: 0, currency: 'eur' });
    await service.deliver(subscriptionCreated(project.scope, late.id));
    const { credits, pagination } = (await project.request('GET', '/credits')).body;
    expect(pagination).toEqual({
      limit: 50,
      offset: 0,
      total: 3,
      hasMore: false,
      totalIsExact: true,
      nextCursor: null,
    });
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
