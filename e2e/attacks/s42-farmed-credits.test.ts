import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { errorOf } from '../system/http.ts';
import {
  newCheckout,
  newCustomer,
  newEmail,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  payOnHostedPage,
  waitForActiveSubscription,
  type Tenant,
} from '../system/tenant.ts';

const REFERRER_CREDIT = 500;
const REFEREE_CREDIT = 300;

let tenant: Tenant;
let priceId: string;
let processorPriceId: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ priceId } = await newMonthlyPrice(tenant));
  const { billing } = tenant;
  ({ processorPriceId } = await billing.prices.get(priceId));
  await billing.referrals.updateConfig({
    enabled: true,
    referrerCreditAmount: REFERRER_CREDIT,
    refereeCreditAmount: REFEREE_CREDIT,
  });
});

/** Creates a referrer with a code. */
async function newReferrer() {
  const customerId = await newCustomer(tenant);
  const { code } = await tenant.billing.referrals.createCode({ customerId });
  return { customerId, code };
}

/** Creates a referrer and a customer to whom the code was applied. */
async function newReferral() {
  const [referrer, refereeCustomerId] = await Promise.all([newReferrer(), newCustomer(tenant)]);
  const { id } = await tenant.billing.referrals.apply({ code: referrer.code, refereeCustomerId });
  return { id, referrer, refereeCustomerId };
}

/** Creates a subscription at the processor for one of the customers. */
async function subscribeAtProcessor(customerId: string, options: Readonly<Record<string, string>>) {
  const { processorCustomerId } = await tenant.billing.customers.get(customerId);
  const form = { customer: processorCustomerId, 'items[0][price]': processorPriceId, ...options };
  return tenant.callProcessor('/v1/subscriptions', form);
}

const applyError = async (code: string, refereeCustomerId: string): Promise<string> =>
  (await errorOf(tenant.billing.referrals.apply({ code, refereeCustomerId }))).code;

/** Returns a referral's entries in the ledger, once none of them is pending. */
function ledgerOf(referralId: string) {
  return waitFor(
    async () => {
      const all = await Array.fromAsync(tenant.billing.referrals.listCredits());
      const entries = all.filter(credit => credit.referralId === referralId);
      const isSettled = entries.length > 0 && entries.every(({ status }) => status !== 'pending');
      return isSettled ? entries.toSorted((one, other) => (one.side < other.side ? -1 : 1)) : undefined;
    },
    { what: 'the credits of the referral', intervalMs: 50 },
  );
}

/** What both sides have on their balances at the processor, in cents; a credit is negative there. */
async function balancesOf(...customerIds: string[]): Promise<number[]> {
  return Promise.all(
    customerIds.map(async customerId => {
      const { processorCustomerId } = await tenant.billing.customers.get(customerId);
      const { data } = await tenant.callProcessor(
        `/v1/customers/${processorCustomerId}/balance_transactions?limit=100`,
      );
      return (data as { amount: number; type: string }[])
        .filter(({ type }) => type === 'adjustment')
        .reduce((sum, { amount }) => sum + amount, 0);
    }),
  );
}

/** The ledger of a referral that both sides earned from. */
const bothCredited = (refereeCustomerId: string, referrerCustomerId: string) => [
  expect.objectContaining({
    side: 'referee',
    customerId: refereeCustomerId,
    amount: REFEREE_CREDIT,
    status: 'credited',
  }),
  expect.objectContaining({
    side: 'referrer',
    customerId: referrerCustomerId,
    amount: REFERRER_CREDIT,
    status: 'credited',
  }),
];

describe.concurrent('someone who farms referral credits', () => {
  it('S42: nobody refers himself: not by his own code, nor by another spelling of his address, which is the same customer', async () => {
    const { billing } = tenant;
    const email = newEmail();
    const { id } = await billing.customers.create({ email });
    const { code } = await billing.referrals.createCode({ customerId: id });
    expect(await applyError(code, id)).toBe('referral_self');
    const spellings = [email.toUpperCase(), ` ${email} `, email.replace(/^./, letter => letter.toUpperCase())];
    for (const spelling of spellings)
      expect((await errorOf(billing.customers.create({ email: spelling }))).code).toBe('customer_email_taken');
  });

  it('S42: a second address of one person is another customer, whose subscription pays once, and the ledger names both', async () => {
    const { billing } = tenant;
    const email = newEmail();
    const { id: customerId } = await billing.customers.create({ email });
    const { code } = await billing.referrals.createCode({ customerId });
    const { id: second } = await billing.customers.create({ email: email.replace('@', '+second@') });
    const { id } = await billing.referrals.apply({ code, refereeCustomerId: second });
    const { url } = await newCheckout(tenant, second, priceId);
    await payOnHostedPage(url);
    expect(await ledgerOf(id)).toEqual(bothCredited(second, customerId));
    expect(await balancesOf(second, customerId)).toEqual([-REFEREE_CREDIT, -REFERRER_CREDIT]);
  });

  it('S42: a customer who has or had a subscription can’t be referred: a running, an ended, or one from before he was created here', async () => {
    const { billing } = tenant;
    const { code } = await newReferrer();
    const [running, ended] = await Promise.all([newSubscription(tenant, priceId), newSubscription(tenant, priceId)]);
    await billing.subscriptions.cancelNow(ended.id);
    const email = newEmail();
    const { id: customer } = await tenant.callProcessor('/v1/customers', { email });
    await tenant.callProcessor('/v1/subscriptions', {
      customer,
      'items[0][price]': processorPriceId,
      trial_period_days: '30',
    });
    const { id: linked } = await billing.customers.create({ email });
    for (const customerId of [running.customerId, ended.customerId, linked])
      expect(await applyError(code, customerId)).toBe('referral_already_subscribed');
  });

  it('S42: a customer who is deleted and created anew keeps his history: no second referral for the same subscription', async () => {
    const { billing } = tenant;
    const { id, referrer, refereeCustomerId } = await newReferral();
    const { email } = await billing.customers.get(refereeCustomerId);
    if (email === null) throw new Error('The referee has an e-mail.');
    const { url } = await newCheckout(tenant, refereeCustomerId, priceId);
    await payOnHostedPage(url);
    await waitForActiveSubscription(tenant, refereeCustomerId);
    await ledgerOf(id);
    await billing.customers.delete(refereeCustomerId);
    const { id: again } = await billing.customers.create({ email });
    const other = await newReferrer();
    expect(await applyError(other.code, again)).toBe('referral_already_subscribed');
    expect(await balancesOf(referrer.customerId, other.customerId)).toEqual([-REFERRER_CREDIT, 0]);
  });

  it('S42: a trial converts a referral once, as the program promises; each further one earns nothing', async () => {
    const { id, referrer, refereeCustomerId } = await newReferral();
    const trial = { trial_period_days: '30' };
    const first = await subscribeAtProcessor(refereeCustomerId, trial);
    expect(await ledgerOf(id)).toEqual(bothCredited(refereeCustomerId, referrer.customerId));
    await tenant.callProcessor(`/v1/subscriptions/${first.id}`, undefined, 'DELETE');
    await subscribeAtProcessor(refereeCustomerId, trial);
    await drain(tenant);
    expect(await ledgerOf(id)).toHaveLength(2);
    expect(await balancesOf(refereeCustomerId, referrer.customerId)).toEqual([-REFEREE_CREDIT, -REFERRER_CREDIT]);
    expect(await applyError((await newReferrer()).code, refereeCustomerId)).toBe('referral_already_applied');
  });

  it('S42: a subscription that is never paid earns nothing', async () => {
    const { billing } = tenant;
    const { referrer, refereeCustomerId } = await newReferral();
    const { status } = await subscribeAtProcessor(refereeCustomerId, { payment_behavior: 'default_incomplete' });
    expect(status).toBe('incomplete');
    await waitFor(
      async () => (await billing.referrals.getCode(referrer.code)).referrals.some(made => made.status === 'converted'),
      { what: 'the conversion' },
    );
    await drain(tenant);
    expect(await balancesOf(refereeCustomerId, referrer.customerId)).toEqual([0, 0]);
    for (const customerId of [refereeCustomerId, referrer.customerId])
      expect(await Array.fromAsync(billing.referrals.listCredits({ customerId }))).toEqual([]);
  });
});
