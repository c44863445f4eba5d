import { AuditRecorded } from '@billing/contracts/events/audit';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { ReferralCreditSaved } from '@billing/contracts/events/referrals';
import { parseCreditId } from '@billing/contracts/resources/referral';
import { leaseDue } from '@billing/processor/operation-log/operation-rows';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCrediting, type Credit, type Crediting } from './crediting.ts';
import { openProject } from './project.ts';
import { subscriptionCreated } from './subscription-created.ts';

let crediting: Crediting;
beforeAll(async () => {
  crediting = await startCrediting();
  await crediting.service.run();
});
afterAll(() => crediting[Symbol.asyncDispose]());

const CREDITED_BOTH = [
  { side: 'referrer', status: 'credited', error: null },
  { side: 'referee', status: 'credited', error: null },
];

it('publishes for tenants a code, a referral, its conversion and both credits, each once', async () => {
  const given = await crediting.givenReferral({ currency: 'eur' });
  const { project, referralId } = given;
  const event = subscriptionCreated(project.scope, given.refereeCustomer.id);
  await crediting.service.emit(event, event);
  await given.convert();
  await given.finished();
  const { code } = (await project.request('GET', '/codes')).body.codes[0];
  await project.request('DELETE', `/codes/${code}`);
  const published = (await crediting.service.publicEvents()).filter(({ projectId }) => projectId === project.projectId);
  const summary = published.map(({ type, object }) => `${type} ${object.sequence} ${object.id}`);
  const suffix = referralId.replace('ref_', '');
  expect(summary.toSorted((a, b) => a.localeCompare(b))).toEqual([
    `referral_code.created 1 ${code}`,
    `referral_code.deactivated 2 ${code}`,
    `referral_credit.credited 1 cred_referee_${suffix}`,
    `referral_credit.credited 1 cred_referrer_${suffix}`,
    `referral.converted 2 ${referralId}`,
    `referral.created 1 ${referralId}`,
  ]);
  const converted = published.find(({ type }) => type === 'referral.converted');
  expect(converted).toMatchObject({
    data: { id: referralId, code, status: 'converted', convertedAt: expect.any(String) },
    previousAttributes: { status: 'pending', convertedAt: null },
  });
});

it('credits both sides once and publishes both credits', async () => {
  const given = await crediting.givenReferral({ currency: 'eur' });
  const event = subscriptionCreated(given.project.scope, given.refereeCustomer.id);
  await crediting.service.emit(event, event);
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
  const published = await crediting.service.published(ReferralCreditSaved);
  const ofReferral = published.filter(({ data }) => data.referralId === referralId);
  expect(ofReferral.map(({ data }) => parseCreditId(data.id).side).toSorted()).toEqual(['referee', 'referrer']);
  expect((await project.request('GET', '/credits?status=pending')).body.credits).toEqual([]);
  expect((await project.request('GET', '/credits?status=credited')).body.credits).toHaveLength(2);
});

it('reports a credit that the processor refuses for its currency as failed', async () => {
  const given = await crediting.givenReferral({ currency: 'eur' });
  const { stripe } = given.account;
  const usd = { amount: -1, currency: 'usd' };
  await stripe.customers.createBalanceTransaction(given.processorIds.referee, usd);
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const recurring = { interval: 'month' } as const;
  const price = await stripe.prices.create({ product, currency: 'usd', unit_amount: 500, recurring });
  const subscription = { customer: given.processorIds.referrer, items: [{ price: price.id }], trial_period_days: 7 };
  await stripe.subscriptions.create(subscription);
  await given.convert();
  const refused = { status: 'failed', processorTransactionId: null, error: expect.stringContaining('currency') };
  expect(await given.finished()).toMatchObject([refused, refused]);
  expect(await given.balanceOf('referrer')).toEqual([]);
});

it('lists the credits of one customer, and none of another project', async () => {
  const given = await crediting.givenReferral();
  await given.convert();
  await given.finished();
  const { project, referrerCustomer, refereeCustomer } = given;
  const list = async (of: typeof project, query: string) => {
    const { body } = await of.request('GET', `/credits?customerId=${query}`);
    return { sides: body.credits.map((credit: Credit) => credit.side), total: body.pagination.total };
  };
  expect(await list(project, referrerCustomer.id)).toEqual({ sides: ['referrer'], total: 1 });
  expect(await list(project, `${refereeCustomer.id}&status=credited`)).toEqual({ sides: ['referee'], total: 1 });
  expect(await list(project, `${refereeCustomer.id}&status=failed`)).toEqual({ sides: [], total: 0 });
  expect(await list(openProject(crediting.service), referrerCustomer.id)).toEqual({ sides: [], total: 0 });
  expect((await project.request('GET', '/credits?customerId=grace')).status).toBe(400);
});

it('converts at once, and credits when the team has connected the processor', async () => {
  const given = await crediting.givenReferral();
  crediting.disconnected.add(given.project.teamId);
  await given.convert();
  const [first] = await waitFor(
    async () => {
      const credits = await given.credits();
      return credits.every(({ attempts }) => attempts >= 2) ? credits : undefined;
    },
    { what: 'two attempts' },
  );
  expect(first).toMatchObject({ status: 'pending', error: expect.stringContaining('Connect the payment processor') });
  crediting.disconnected.delete(given.project.teamId);
  expect(await given.finished()).toMatchObject(CREDITED_BOTH);
});

it('fails only the credit that the processor refuses', async () => {
  const given = await crediting.givenReferral();
  await given.account.stripe.customers.del(given.processorIds.referrer);
  await given.convert();
  expect(await given.finished()).toMatchObject([
    { side: 'referrer', status: 'failed', attempts: 1, error: expect.stringContaining('No such customer') },
    { side: 'referee', status: 'credited' },
  ]);
});

it('S42: fails the credit of a customer who was deleted here', async () => {
  const given = await crediting.givenReferral();
  await deleteReferrer(given);
  await given.convert();
  expect(await given.finished()).toMatchObject([{ status: 'failed' }, { status: 'credited' }]);
  expect(await given.balanceOf('referrer')).toEqual([]);
});

it('completes a credit whose customer was deleted after sending it', async () => {
  const given = await crediting.givenReferral();
  const { account } = given;
  const lostResponse = { method: 'POST', mode: 'done-but-response-lost', times: 20 } as const;
  await account.control.fail({ ...lostResponse, path: given.pathOf('referrer') });
  await given.convert();
  await waitFor(async () => (await given.balanceOf('referrer')).length === 1, { what: 'the credit to be created' });
  await deleteReferrer(given);
  await account.control.clearFaults();
  expect(await given.finished()).toMatchObject(CREDITED_BOTH);
  expect(await given.balanceOf('referrer')).toHaveLength(1);
});

it('sends a failed credit again when asked, once however often', async () => {
  const given = await crediting.givenReferral();
  const retry = await failReferrer(given);
  await given.account.control.clearFaults();
  const responses = await Promise.all(Array.from({ length: 3 }, retry));
  expect(responses.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(responses.find(({ status }) => status === 202)?.body.credit).toMatchObject({ status: 'pending', error: null });
  expect(responses.find(({ status }) => status === 409)?.body.error.code).toBe('referral_credit_not_failed');
  expect(await given.finished()).toMatchObject(CREDITED_BOTH);
  expect(await given.balanceOf('referrer')).toMatchObject([{ amount: -500 }]);
  expect((await retry()).status).toBe(409);
  const entries = (await crediting.service.published(AuditRecorded)).map(({ data }) => data);
  expect(
    entries.filter(({ action, projectId }) => isRetry(action) && projectId === given.project.projectId),
  ).toMatchObject([
    { target: { type: 'referral_credit' }, changes: [{ field: 'status', from: 'failed', to: 'pending' }] },
  ]);
});

it('fails a retried credit again when the processor still refuses it', async () => {
  const given = await crediting.givenReferral();
  const retry = await failReferrer(given);
  expect((await retry()).status).toBe(202);
  expect(await given.finished()).toMatchObject([
    { status: 'failed', attempts: 1, error: expect.stringContaining('refused') },
    { status: 'credited' },
  ]);
  expect((await retry()).status).toBe(202);
});

it('finds a credit that is at the processor already instead of sending it again', async () => {
  const given = await crediting.givenReferral();
  const retry = await failReferrer(given);
  await given.account.control.clearFaults();
  const { id } = await given.account.stripe.customers.createBalanceTransaction(given.processorIds.referrer, {
    amount: -500,
    currency: 'usd',
    metadata: { referralId: given.referralId, side: 'referrer' },
  });
  await retry();
  expect(await given.finished()).toMatchObject([{ processorTransactionId: id }, { status: 'credited' }]);
  expect(await given.balanceOf('referrer')).toHaveLength(1);
});

it('takes a new key for a retry after more than a day', async () => {
  const given = await crediting.givenReferral();
  const retry = await failReferrer(given);
  await given.account.control.clearFaults();
  await crediting.service.em.fork().execute('delete from remote_operations where due_at is null');
  await retry();
  expect(await given.finished()).toMatchObject(CREDITED_BOTH);
  expect(await given.balanceOf('referrer')).toHaveLength(1);
});

it('hides credits from other projects', async () => {
  const given = await crediting.givenReferral();
  await failReferrer(given);
  const [{ id } = { id: '' }] = await given.credits();
  const other = await crediting.givenReferral();
  const { status, body } = await other.project.request('POST', `/credits/${id}/retry`);
  expect([status, body.error.code]).toEqual([404, 'referral_credit_not_found']);
});

it('credits once with two copies of the service', async () => {
  await using copy = await crediting.service.startCopy();
  await copy.run();
  const referrals = await Promise.all(Array.from({ length: 8 }, () => crediting.givenReferral()));
  await Promise.all(referrals.map(given => given.convert()));
  for (const given of referrals) {
    expect(await given.finished()).toMatchObject(CREDITED_BOTH);
    expect(await given.balanceOf('referrer')).toHaveLength(1);
    expect(await given.balanceOf('referee')).toHaveLength(1);
  }
});

it('leaves a credit to the process that works on it until its lease ends', async () => {
  await using other = await startCrediting();
  const [leased, free] = [await other.givenReferral(), await other.givenReferral()];
  await leased.convert();
  expect(await leaseDue(other.service.em, 10)).toHaveLength(2);
  await other.service.run();
  await free.convert();
  await free.finished();
  expect(await leased.balanceOf('referrer')).toEqual([]);
  await leased.operations.endLeases();
  expect(await leased.finished()).toMatchObject(CREDITED_BOTH);
});

it('doubles the pause between attempts from one second to 15 minutes', async () => {
  await using slow = await startCrediting({ creditTiming: { intervalMs: 20 } });
  const given = await slow.givenReferral({ refereeCreditAmount: 0 });
  slow.disconnected.add(given.project.teamId);
  await given.convert();
  await slow.service.run();
  const pauseAfter = (fewest: number) =>
    waitFor(
      async () => {
        const open = await given.operations.openOperations();
        return open.find(({ isLeased, attempts }) => !isLeased && attempts >= fewest);
      },
      { what: `attempt ${fewest} to fail` },
    );
  // Pauses vary by a quarter; a little of each is over when it is read.
  const { attempts, dueInSeconds } = await pauseAfter(1);
  expect(dueInSeconds).toBeLessThan(1.25 * 2 ** (attempts - 1));
  await given.operations.changeOperations('attempts = 29, due_at = clock_timestamp()');
  const longest = await pauseAfter(30);
  expect(longest.dueInSeconds).toBeGreaterThan(0.7 * 900);
  expect(longest.dueInSeconds).toBeLessThan(1.25 * 900);
});

async function deleteReferrer({ project, referrerCustomer }: Awaited<ReturnType<Crediting['givenReferral']>>) {
  const deleted = { ...referrerCustomer, version: 2, deletedAt: new Date() };
  await crediting.service.deliver(newEvent(CustomerDeleted, project.teamId, deleted));
}

/** Lets the processor refuse the referrer's credit until its faults are cleared, and returns how to retry it. */
async function failReferrer(given: Awaited<ReturnType<Crediting['givenReferral']>>) {
  await given.account.control.fail({ path: given.pathOf('referrer'), method: 'POST', mode: '400', times: 100 });
  await given.convert();
  const [credit] = await given.finished();
  expect(credit).toMatchObject({ side: 'referrer', status: 'failed' });
  return () => given.project.request('POST', `/credits/${credit?.id}/retry`);
}

const isRetry = (action: string): boolean => action === 'retryReferralCredit';
