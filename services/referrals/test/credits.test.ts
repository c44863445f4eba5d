import { CustomerDeleted } from '@billing/contracts/events/customers';
import { ReferralCredited } from '@billing/contracts/events/referrals';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCreditingService } from './start-crediting-service.ts';
import { eventOf } from './start-service.ts';

let crediting: Awaited<ReturnType<typeof startCreditingService>>;
beforeAll(async () => (crediting = await startCreditingService()));
afterAll(() => crediting[Symbol.asyncDispose]());

it('credits both sides once and publishes both credits', async () => {
  const given = await crediting.givenReferral({ currency: 'eur' });
  await given.convert();
  await given.convert();
  const credits = await given.finished();
  expect(credits).toMatchObject([
    { side: 'referrer', amount: 500, currency: 'eur', status: 'credited', attempts: 1, error: null },
    { side: 'referee', amount: 300, currency: 'eur', status: 'credited', attempts: 1, error: null },
  ]);
  const { project, referrerCustomer, refereeCustomer, referralId } = given;
  const routing = { teamId: project.teamId, projectId: project.projectId, referralId };
  const [toReferrer, toReferee] = [await given.balanceOf('referrer'), await given.balanceOf('referee')];
  expect(toReferrer).toMatchObject([
    { amount: -500, currency: 'eur', metadata: { ...routing, customerId: referrerCustomer.id, side: 'referrer' } },
  ]);
  expect(toReferee).toMatchObject([
    { amount: -300, currency: 'eur', metadata: { ...routing, customerId: refereeCustomer.id, side: 'referee' } },
  ]);
  const ids = [...toReferrer, ...toReferee].map(({ id }) => id);
  expect(credits.map(({ processorTransactionId }) => processorTransactionId)).toEqual(ids);
  const published = await crediting.service.published(ReferralCredited, credit => credit.referralId === referralId);
  expect(published.map(({ side }) => side).toSorted()).toEqual(['referee', 'referrer']);
  expect((await project.request('GET', '/credits?status=pending')).body.credits).toEqual([]);
  expect((await project.request('GET', '/credits?status=credited')).body.credits).toHaveLength(2);
});

it('converts at once, and credits when the team has connected the processor', async () => {
  const given = await crediting.givenReferral();
  given.account.isConnected = false;
  await given.convert();
  const [first] = await waitFor(
    async () => {
      const credits = await given.credits();
      return credits.every(({ attempts }) => attempts >= 2) ? credits : undefined;
    },
    { what: 'two attempts' },
  );
  expect(first).toMatchObject({ status: 'pending', error: expect.stringContaining('Connect the payment processor') });
  given.account.isConnected = true;
  expect(await given.finished()).toMatchObject([{ status: 'credited' }, { status: 'credited' }]);
});

it('fails a credit that the processor rejects permanently, and only that one', async () => {
  const given = await crediting.givenReferral();
  await given.account.stripe.customers.del(given.processorIds.referrer);
  await given.convert();
  expect(await given.finished()).toMatchObject([
    { side: 'referrer', status: 'failed', attempts: 1, error: expect.stringContaining('refused') },
    { side: 'referee', status: 'credited' },
  ]);
});

it('fails the credit of a customer who was deleted here', async () => {
  const given = await crediting.givenReferral();
  const { project, referrerCustomer } = given;
  const deleted = { ...referrerCustomer, version: 2, deletedAt: new Date() };
  await crediting.service.deliver(eventOf(CustomerDeleted, project.teamId, deleted));
  await given.convert();
  expect(await given.finished()).toMatchObject([{ status: 'failed' }, { status: 'credited' }]);
  expect(await given.balanceOf('referrer')).toEqual([]);
});

it('completes a credit whose customer was deleted after sending it', async () => {
  const given = await crediting.givenReferral();
  const { project, referrerCustomer, account } = given;
  await account.control.fail({
    method: 'POST',
    path: given.pathOf('referrer'),
    mode: 'done-but-answer-lost',
    times: 20,
  });
  await given.convert();
  await waitFor(async () => (await given.balanceOf('referrer')).length === 1, { what: 'the credit to be created' });
  const deleted = { ...referrerCustomer, version: 2, deletedAt: new Date() };
  await crediting.service.deliver(eventOf(CustomerDeleted, project.teamId, deleted));
  await account.control.clearFaults();
  expect(await given.finished()).toMatchObject([{ status: 'credited' }, { status: 'credited' }]);
  expect(await given.balanceOf('referrer')).toHaveLength(1);
});

it('sends a failed credit again when an operator sets the next key version', async () => {
  const given = await crediting.givenReferral();
  const { account, referralId } = given;
  await account.stripe.customers.createBalanceTransaction(given.processorIds.referrer, { amount: 1, currency: 'eur' });
  await given.convert();
  expect(await given.finished()).toMatchObject([{ status: 'failed' }, { status: 'credited' }]);
  await crediting.service.em.fork().execute(
    `update referral_credits
        set status = 'pending', key_version = key_version + 1, sent_at = null, processor_customer_id = null,
            closed_at = null, due_at = clock_timestamp(), currency = 'eur'
      where referral_id = ? and status = 'failed'`,
    [referralId],
  );
  expect(await given.finished()).toMatchObject([{ status: 'credited' }, { status: 'credited' }]);
  expect(await given.balanceOf('referrer')).toMatchObject([{ amount: -500 }, { amount: 1 }]);
});

it('credits once with two processes sending from one ledger', async () => {
  const { service, processors, givenReferral } = crediting;
  const stop = service.sendCreditsTo(processors);
  const referrals = await Promise.all(Array.from({ length: 8 }, () => givenReferral()));
  await Promise.all(referrals.map(given => given.convert()));
  for (const given of referrals) {
    expect(await given.finished()).toMatchObject([{ status: 'credited' }, { status: 'credited' }]);
    expect(await given.balanceOf('referrer')).toHaveLength(1);
    expect(await given.balanceOf('referee')).toHaveLength(1);
  }
  await stop();
});
