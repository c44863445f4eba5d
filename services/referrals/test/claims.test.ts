import { randomUUID } from 'node:crypto';
import { ReferralId } from '@billing/contracts/ids';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimCredits } from '../src/operations/claim-credits.ts';
import { keepCredit } from '../src/operations/keep-credit.ts';
import { settleCredit } from '../src/operations/settle-credit.ts';
import { openProject, startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.em.fork().execute('delete from referral_credits'));

const claim = (limit: number) => claimCredits(service.em, limit);

/** Enters a credit that is due in so many seconds, by default one that has been due for a second. */
async function enter(dueInSeconds = -1, status = 'pending'): Promise<ReferralId> {
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

describe('a claim', () => {
  it('takes what is due and pending, the longest due first, and no more than asked for', async () => {
    const [second, first, third] = [await enter(-20), await enter(-30), await enter(-10)];
    await enter(3_600);
    await enter(-40, 'credited');
    await enter(-40, 'failed');
    expect(idsOf(await claim(1))).toEqual([first]);
    expect(idsOf(await claim(100)).toSorted()).toEqual([second, third].toSorted());
  });

  it('is the only one until it runs out', async () => {
    const id = await enter();
    expect(await claim(100)).toMatchObject([{ referralId: id, attempts: 1, keyVersion: 1, sentAt: null }]);
    expect(await claim(100)).toEqual([]);
    await service.em.fork().execute('update referral_credits set due_at = clock_timestamp()');
    expect(await claim(100)).toMatchObject([{ referralId: id, attempts: 2 }]);
  });

  it('takes a credit once, however many processes claim at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => enter()));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(5)));
    const taken = idsOf(claims.flat());
    expect(new Set(taken).size).toBe(taken.length);
    const rest = idsOf(await claim(100));
    expect([...taken, ...rest].toSorted()).toEqual(ids.toSorted());
  });

  it('passes over what another process is just taking, and does not wait for it', async () => {
    const [taken, free] = [await enter(-20), await enter(-10)];
    const other = service.em.fork();
    await other.begin();
    await other.execute(`update referral_credits set attempts = attempts + 1 where referral_id = ?`, [taken]);
    expect(idsOf(await claim(1))).toEqual([free]);
    await other.rollback();
    expect(idsOf(await claim(1))).toEqual([taken]);
  });

  it('that has run out keeps nothing, whether or not another has followed it', async () => {
    await enter();
    const [first] = await claim(1);
    if (!first) throw new Error('The credit was due.');
    await service.em.fork().execute('update referral_credits set due_at = clock_timestamp()');
    expect(await keepCredit(service.em, first, { status: 'failed' })).toBe(false);
    const [second] = await claim(1);
    if (!second) throw new Error('The first claim had run out.');
    expect(await keepCredit(service.em, first, { status: 'failed' })).toBe(false);
    expect(await keepCredit(service.em, second, { error: 'noted' })).toBe(true);
    const rows = await service.em.fork().execute('select status, error from referral_credits');
    expect(rows).toEqual([{ status: 'pending', error: 'noted' }]);
  });

  it('that has run out sends nothing', async () => {
    await enter();
    const claims = await claim(1);
    await service.em.fork().execute('update referral_credits set due_at = clock_timestamp()');
    await using local = await startLocalAccount();
    const settle = settleCredit({
      em: service.em,
      know: async () => ({ processorCustomerId: 'cus_1', subscribedAt: null }),
      processors: { of: async () => local.processor },
      clock: service.clock,
      logger: service.logger,
    });
    for (const credit of claims) await settle(credit);
    expect(claims).toHaveLength(1);
    expect((await local.control.ledger()).calls).toEqual({});
    for (const credit of await claim(1)) await settle(credit);
    expect((await local.control.ledger()).calls).toEqual({
      'POST /v1/customers/:id/balance_transactions': { '404': 1 },
    });
  });
});

/** An empty account at a local processor. */
async function startLocalAccount() {
  const { url, close } = await startLocalProcessor();
  const secretKey = 'sk_test_claims00';
  return {
    processor: stripeProcessor(secretKey, url),
    control: new LocalProcessorControl(url, secretKey),
    [Symbol.asyncDispose]: close,
  };
}
