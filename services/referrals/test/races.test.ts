import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReferralCode } from '../src/persistence/referral-code.entity.ts';
import { findCode } from '../src/operations/find-code.ts';
import { lockCustomer } from '../src/operations/know-customer.ts';
import { keepCustomer, keepSubscribed } from '../src/persistence/customers.ts';
import { reactToCustomers } from '../src/reactions/customers.ts';
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

/** A transaction that stays open until it is committed. */
async function holding(): Promise<EntityManager> {
  const holder = service.em.fork();
  await holder.begin();
  return holder;
}

describe('a subscription', () => {
  it('is never missed: it forbids the application or converts it, however close they come', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const copy = reactToSubscriptions(service.em, service.clock, service.logger);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { id } = project.newCustomer();
        const [{ status }] = await Promise.all([
          project.apply(code, id),
          copy.receive(subscribing(project.scope, id), 1),
        ]);
        return { id, status };
      }),
    );
    const { referrals } = (await project.ask('GET', `/codes/${code}`)).body;
    const statusOf = new Map(
      referrals.map((made: { refereeCustomerId: string; status: string }) => [made.refereeCustomerId, made.status]),
    );
    for (const { id, status } of outcomes) expect(statusOf.get(id)).toBe(status === 201 ? 'converted' : undefined);
  });

  it('heard of before an application commits waits for it, and converts what it made', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    const copy = reactToSubscriptions(service.em, service.clock, service.logger);
    // The code is held, so that the application stops half way: after its checks, before its referral.
    const holder = await holding();
    await findCode(holder, project.scope, code, LockMode.PESSIMISTIC_WRITE);
    const applying = project.apply(code, id);
    await waitUntilBlocked(1, 'the application to wait for the code');
    let isHeard = false;
    const hearing = copy.receive(subscribing(project.scope, id), 1).then(() => (isHeard = true));
    await waitUntilBlocked(2, 'the reaction to wait, too', () => isHeard);
    await holder.commit();
    await hearing;
    expect((await applying).status).toBe(201);
    const { referrals } = (await project.ask('GET', `/codes/${code}`)).body;
    expect(referrals).toMatchObject([{ status: 'converted' }]);
  });

  it('heard of after the checks of an application and before its referral forbids it', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    // The customer's row is held as the reaction holds it, when the application has asked everyone.
    const holder = await holding();
    await keepCustomer(service.em.fork(), project.teamId, { ...project.newCustomer(), id });
    await keepSubscribed(holder, [{ ...project.scope, customerId: id, subscribedAt: new Date() }]);
    const applying = project.apply(code, id);
    await waitUntilBlocked(1, 'the application to wait for the customer');
    await holder.commit();
    const { status, body } = await applying;
    expect([status, body]).toEqual([409, error('referral_already_subscribed')]);
  });
});

describe('a deactivation', () => {
  it('lets an application at the same time succeed or be refused, and leaves the code inactive', async () => {
    const project = await openProgram();
    const codes = await Promise.all(Array.from({ length: 20 }, () => project.newCode()));
    const outcomes = await Promise.all(
      codes.map(async ({ code }) => {
        const [applied, deactivated] = await Promise.all([
          project.apply(code, project.newCustomer().id),
          project.ask('DELETE', `/codes/${code}`),
        ]);
        return { code, applied, deactivated };
      }),
    );
    for (const { code, applied, deactivated } of outcomes) {
      expect(deactivated).toEqual({ status: 200, body: { code: { code, isActive: false } } });
      const { body } = await project.ask('GET', `/codes/${code}`);
      expect(body.code.isActive).toBe(false);
      const made = body.referrals.map(({ status }: { status: string }) => status);
      const refused = applied.body.error?.code;
      expect([applied.status, refused, made]).toEqual(
        made.length > 0 ? [201, undefined, ['pending']] : [422, 'referral_code_inactive', []],
      );
    }
  });

  it('that comes after the checks of an application and before its referral forbids it', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const holder = await holding();
    await holder.nativeUpdate(ReferralCode, { ...project.scope, code }, { isActive: false });
    const applying = project.apply(code, project.newCustomer().id);
    await waitUntilBlocked(1, 'the application to wait for the code');
    await holder.commit();
    const { status, body } = await applying;
    expect([status, body]).toEqual([422, error('referral_code_inactive')]);
  });

  it('waits for an application that has begun, and leaves the referrals', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    expect((await project.apply(code, project.newCustomer().id)).status).toBe(201);
    // As an application holds the code from its last checks until it commits.
    const holder = await holding();
    await findCode(holder, project.scope, code, LockMode.PESSIMISTIC_READ);
    const deactivating = project.ask('DELETE', `/codes/${code}`);
    await waitUntilBlocked(1, 'the deactivation to wait for the code');
    await holder.commit();
    expect((await deactivating).status).toBe(200);
    const { body } = await project.ask('GET', `/codes/${code}`);
    expect(body).toMatchObject({ code: { isActive: false }, referrals: [{ status: 'pending' }] });
  });
});

describe('the deletion of a customer', () => {
  it('that comes after the checks for a code and before the code forbids it', async () => {
    const project = await openProgram();
    const customer = project.newCustomer();
    await keepCustomer(service.em.fork(), project.teamId, customer);
    const holder = await holding();
    await keepCustomer(holder, project.teamId, { ...customer, version: 2, deletedAt: new Date() });
    const creating = project.ask('POST', '/codes', { customerId: customer.id });
    await waitUntilBlocked(1, 'the code to wait for the customer');
    await holder.commit();
    const { status, body } = await creating;
    expect([status, body]).toEqual([404, error('customer_not_found')]);
  });

  it('waits for a code that is being made, and ends it', async () => {
    const project = await openProgram();
    const customer = project.newCustomer();
    await keepCustomer(service.em.fork(), project.teamId, customer);
    // As the making of a code holds the customer from its last checks until it commits.
    const holder = await holding();
    await lockCustomer(holder, project.scope, customer.id);
    const code = { ...project.scope, code: 'HALFMADE', customerId: customer.id, isActive: true, version: 1 };
    holder.create(ReferralCode, { ...code, createdAt: new Date(), deactivatedAt: null, operationKey: null });
    await holder.flush();
    const { receive } = reactToCustomers(service.em, service.clock, service.logger);
    const gone = saidFact(CustomerDeleted, project.teamId, { ...customer, version: 2, deletedAt: new Date() });
    const deleting = receive(gone, 1);
    await waitUntilBlocked(1, 'the deletion to wait for the customer');
    await holder.commit();
    await deleting;
    expect((await project.ask('GET', '/codes/HALFMADE')).body.code.isActive).toBe(false);
  });
});

/** Waits until so many sessions wait for a row that another holds, or until they need not. */
const waitUntilBlocked = (count: number, what: string, isOver = () => false) =>
  waitFor(
    async () => {
      const rows = await service.em
        .fork()
        .execute<unknown[]>(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
      return isOver() || rows.length === count;
    },
    { what, timeoutMs: 20_000 },
  );
