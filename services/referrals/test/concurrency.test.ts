import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReferralCode } from '../src/persistence/referral-code.entity.ts';
import { findCode } from '../src/persistence/referral-codes.ts';
import { lockCustomer, saveCustomerCopies, saveSubscribers } from '../src/persistence/customer-copies.ts';
import { openProgram as openProgramOf } from './project.ts';
import { startService, type Service } from './service.ts';
import { subscriptionCreated } from './subscription-created.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const error = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

const openProgram = () => openProgramOf(service);

/** Begins a transaction that stays open until the test commits it. */
async function beginTransaction(): Promise<EntityManager> {
  const tx = service.em.fork();
  await tx.begin();
  return tx;
}

describe('a subscription', () => {
  it('rejects a concurrent application or converts it, but is never missed', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const startedAt = new Date(Date.now() + 60_000);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { id } = project.newCustomer();
        const [{ status }] = await Promise.all([
          project.apply(code, id),
          service.deliver(subscriptionCreated(project.scope, id, { startedAt })),
        ]);
        return { id, status };
      }),
    );
    const { referrals } = (await project.request('GET', `/codes/${code}`)).body;
    const statusOf = new Map(
      referrals.map((referral: { refereeCustomerId: string; status: string }) => [
        referral.refereeCustomerId,
        referral.status,
      ]),
    );
    for (const { id, status } of outcomes) expect(statusOf.get(id)).toBe(status === 201 ? 'converted' : undefined);
  });

  it('waits for an application that has not committed, and converts it', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    // The locked code stops the application after its checks and before its insert.
    const other = await beginTransaction();
    await findCode(other, project.scope, code, LockMode.PESSIMISTIC_WRITE);
    const applying = project.apply(code, id);
    await waitUntilBlocked(1, 'the application to wait for the code');
    let isHandled = false;
    const handling = service.deliver(subscriptionCreated(project.scope, id)).then(() => (isHandled = true));
    await waitUntilBlocked(2, 'the event handler to wait too', () => isHandled);
    await other.commit();
    await handling;
    expect((await applying).status).toBe(201);
    const { referrals } = (await project.request('GET', `/codes/${code}`)).body;
    expect(referrals).toMatchObject([{ status: 'converted' }]);
  });

  it('rejects an application between its checks and its insert', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const { id } = project.newCustomer();
    // Locks the customer's row as the event handler does, after the application's checks.
    const other = await beginTransaction();
    await saveCustomerCopies(service.em.fork(), [{ ...project.newCustomer(), id, teamId: project.teamId }]);
    await saveSubscribers(other, [
      { ...project.scope, customerId: id, subscribedAt: new Date(), activeStartedAt: null },
    ]);
    const applying = project.apply(code, id);
    await waitUntilBlocked(1, 'the application to wait for the customer');
    await other.commit();
    const { status, body } = await applying;
    expect([status, body]).toEqual([409, error('referral_already_subscribed')]);
  });
});

describe('a deactivation', () => {
  it('lets a concurrent application succeed or fail, and deactivates the code', async () => {
    const project = await openProgram();
    const codes = await Promise.all(Array.from({ length: 20 }, () => project.newCode()));
    const outcomes = await Promise.all(
      codes.map(async ({ code }) => {
        const [applied, deactivated] = await Promise.all([
          project.apply(code, project.newCustomer().id),
          project.request('DELETE', `/codes/${code}`),
        ]);
        return { code, applied, deactivated };
      }),
    );
    for (const { code, applied, deactivated } of outcomes) {
      expect(deactivated).toEqual({ status: 200, body: { code: { code, isActive: false } } });
      const { body } = await project.request('GET', `/codes/${code}`);
      expect(body.code.isActive).toBe(false);
      const created = body.referrals.map(({ status }: { status: string }) => status);
      const rejection = applied.body.error?.code;
      expect([applied.status, rejection, created]).toEqual(
        created.length > 0 ? [201, undefined, ['pending']] : [422, 'referral_code_inactive', []],
      );
    }
  });

  it('rejects an application between its checks and its insert', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    const other = await beginTransaction();
    await other.nativeUpdate(ReferralCode, { ...project.scope, code }, { isActive: false });
    const applying = project.apply(code, project.newCustomer().id);
    await waitUntilBlocked(1, 'the application to wait for the code');
    await other.commit();
    const { status, body } = await applying;
    expect([status, body]).toEqual([422, error('referral_code_inactive')]);
  });

  it('waits for a running application and keeps its referral', async () => {
    const project = await openProgram();
    const { code } = await project.newCode();
    expect((await project.apply(code, project.newCustomer().id)).status).toBe(201);
    // Locks the code as an application does from its last checks until its commit.
    const other = await beginTransaction();
    await findCode(other, project.scope, code, LockMode.PESSIMISTIC_READ);
    const deactivating = project.request('DELETE', `/codes/${code}`);
    await waitUntilBlocked(1, 'the deactivation to wait for the code');
    await other.commit();
    expect((await deactivating).status).toBe(200);
    const { body } = await project.request('GET', `/codes/${code}`);
    expect(body).toMatchObject({ code: { isActive: false }, referrals: [{ status: 'pending' }] });
  });
});

describe('the deletion of a customer', () => {
  it('rejects a new code between its checks and its insert', async () => {
    const project = await openProgram();
    const customer = project.newCustomer();
    await saveCustomerCopies(service.em.fork(), [{ ...customer, teamId: project.teamId }]);
    const other = await beginTransaction();
    const deleted = { ...customer, teamId: project.teamId, version: 2, deletedAt: new Date() };
    await saveCustomerCopies(other, [deleted]);
    const creating = project.request('POST', '/codes', { customerId: customer.id });
    await waitUntilBlocked(1, 'the code to wait for the customer');
    await other.commit();
    const { status, body } = await creating;
    expect([status, body]).toEqual([404, error('customer_not_found')]);
  });

  it('waits for a code that is being created, and deactivates it', async () => {
    const project = await openProgram();
    const customer = project.newCustomer();
    await saveCustomerCopies(service.em.fork(), [{ ...customer, teamId: project.teamId }]);
    // Locks the customer as the creation of a code does from its last checks until its commit.
    const other = await beginTransaction();
    await lockCustomer(other, project.scope, customer.id);
    const code = { ...project.scope, code: 'HALFDONE', customerId: customer.id, isActive: true, version: 1 };
    other.create(ReferralCode, { ...code, createdAt: new Date(), deactivatedAt: null, operationKey: null });
    await other.flush();
    const deleted = newEvent(CustomerDeleted, project.teamId, { ...customer, version: 2, deletedAt: new Date() });
    const deleting = service.deliver(deleted);
    await waitUntilBlocked(1, 'the deletion to wait for the customer');
    await other.commit();
    await deleting;
    expect((await project.request('GET', '/codes/HALFDONE')).body.code.isActive).toBe(false);
  });
});

/** Waits until `count` sessions wait for a lock, or until `isOver`. */
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
    { what },
  );
