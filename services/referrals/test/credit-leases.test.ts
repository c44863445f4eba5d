import { randomUUID } from 'node:crypto';
import { ReferralId } from '@billing/contracts/ids';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaseCredits } from '../src/operations/lease-credits.ts';
import { saveCredit } from '../src/operations/save-credit.ts';
import { sendCredit } from '../src/operations/send-credit.ts';
import { openProject, startService, type Service } from './start-service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.em.fork().execute('delete from referral_credits'));

const lease = (limit: number) => leaseCredits(service.em, limit);

/** Inserts a credit that is due in `dueInSeconds`; by default it has been due for a second. */
async function insertCredit(dueInSeconds = -1, status = 'pending'): Promise<ReferralId> {
  const { teamId, projectId } = openProject(service);
  const id = ReferralId.create();
  await service.em.fork().execute(
    `insert into referral_credits
       (referral_id, side, team_id, project_id, customer_id, amount, currency, status, attempts, created_at, due_at)
     values (?, 'referrer', ?, ?, ?, 500, 'usd', ?, 0, now(), clock_timestamp() + make_interval(secs => ?))`,
    [id, teamId, projectId, `pc_${randomUUID()}`, status, dueInSeconds],
  );
  return id;
}

const idsOf = (credits: readonly { readonly referralId: ReferralId }[]) => credits.map(credit => credit.referralId);

describe('a lease', () => {
  it('covers due pending credits, longest due first, up to the limit', async () => {
    const [second, first, third] = [await insertCredit(-20), await insertCredit(-30), await insertCredit(-10)];
    await insertCredit(3_600);
    await insertCredit(-40, 'credited');
    await insertCredit(-40, 'failed');
    expect(idsOf(await lease(1))).toEqual([first]);
    expect(idsOf(await lease(100)).toSorted()).toEqual([second, third].toSorted());
  });

  it('is exclusive until it expires', async () => {
    const id = await insertCredit();
    expect(await lease(100)).toMatchObject([{ referralId: id, attempts: 1, keyVersion: 1, sentAt: null }]);
    expect(await lease(100)).toEqual([]);
    await service.em.fork().execute('update referral_credits set due_at = clock_timestamp()');
    expect(await lease(100)).toMatchObject([{ referralId: id, attempts: 2 }]);
  });

  it('covers each credit once among concurrent processes', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => insertCredit()));
    const leases = await Promise.all(Array.from({ length: 20 }, () => lease(5)));
    const leased = idsOf(leases.flat());
    expect(new Set(leased).size).toBe(leased.length);
    const remaining = idsOf(await lease(100));
    expect([...leased, ...remaining].toSorted()).toEqual(ids.toSorted());
  });

  it('skips a row that another process has locked', async () => {
    const [locked, free] = [await insertCredit(-20), await insertCredit(-10)];
    const other = service.em.fork();
    await other.begin();
    await other.execute(`update referral_credits set attempts = attempts + 1 where referral_id = ?`, [locked]);
    expect(idsOf(await lease(1))).toEqual([free]);
    await other.rollback();
    expect(idsOf(await lease(1))).toEqual([locked]);
  });

  it('saves nothing after it expired, with or without a successor', async () => {
    await insertCredit();
    const [first] = await lease(1);
    if (!first) throw new Error('The credit was due.');
    await service.em.fork().execute('update referral_credits set due_at = clock_timestamp()');
    expect(await saveCredit(service.em, first, { status: 'failed' })).toBe(false);
    const [second] = await lease(1);
    if (!second) throw new Error('The first lease has expired.');
    expect(await saveCredit(service.em, first, { status: 'failed' })).toBe(false);
    expect(await saveCredit(service.em, second, { error: 'saved' })).toBe(true);
    const rows = await service.em.fork().execute('select status, error from referral_credits');
    expect(rows).toEqual([{ status: 'pending', error: 'saved' }]);
  });

  it('sends nothing after it expired', async () => {
    await insertCredit();
    const expired = await lease(1);
    await service.em.fork().execute('update referral_credits set due_at = clock_timestamp()');
    await using local = await startLocalAccount();
    const send = sendCredit({
      em: service.em,
      resolve: async () => ({ processorCustomerId: 'cus_1' }),
      processors: { of: async () => local.processor },
      now: service.now,
      logger: service.logger,
    });
    for (const credit of expired) await send(credit);
    expect(expired).toHaveLength(1);
    expect((await local.control.ledger()).calls).toEqual({});
    for (const credit of await lease(1)) await send(credit);
    expect((await local.control.ledger()).calls).toEqual({
      'POST /v1/customers/:id/balance_transactions': { '404': 1 },
    });
  });
});

/** Starts a local processor with an empty account. */
async function startLocalAccount() {
  const { url, close } = await startLocalProcessor();
  const secretKey = 'sk_test_leases00';
  return {
    processor: stripeProcessor(secretKey, url),
    control: new LocalProcessorControl(url, secretKey),
    [Symbol.asyncDispose]: close,
  };
}
