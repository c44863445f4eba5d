import { beforeAll, expect, it } from 'vitest';
import { errorOf } from '../../system/http.ts';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
const credits = { referrerCreditAmount: 500, refereeCreditAmount: 0 };
beforeAll(async () => {
  tenant = await newTenant();
});

it('rejects referrals until the program is enabled', async () => {
  const { billing, projectId } = tenant;
  expect(await billing.referrals.config()).toMatchObject({ enabled: false, projectId });
  const { code } = await billing.referrals.createCode({ customerId: await newCustomer(tenant) });
  const applying = billing.referrals.apply({ code, refereeCustomerId: await newCustomer(tenant) });
  expect(await errorOf(applying)).toMatchObject({ status: 422, code: 'referral_program_disabled' });
  const set = await billing.referrals.updateConfig({ enabled: true, ...credits });
  expect(set).toMatchObject({ enabled: true, ...credits, currency: 'usd' });
  expect(await billing.referrals.config()).toEqual({ ...set, projectId });
});

it('gives a customer one active code at a time', async () => {
  const { billing } = tenant;
  const customerId = await newCustomer(tenant);
  const first = await billing.referrals.createCode({ customerId });
  expect(first).toMatchObject({ code: expect.stringMatching(/^[0-9A-Za-z]{8}$/), customerId, isActive: true });
  const again = billing.referrals.createCode({ customerId });
  expect(await errorOf(again)).toMatchObject({ status: 409, code: 'referral_code_exists' });
  await billing.referrals.deactivateCode(first.code);
  const second = await billing.referrals.createCode({ customerId });
  const codesOf = async (activeOnly: boolean) =>
    (await Array.fromAsync(billing.referrals.listCodes({ customerId, activeOnly }))).map(({ code }) => code);
  expect(await codesOf(true)).toEqual([second.code]);
  expect(await codesOf(false)).toEqual([second.code, first.code]);
});

it('explains why a code cannot be applied', async () => {
  const { billing } = tenant;
  await billing.referrals.updateConfig({ enabled: true, ...credits });
  const [referrer, referee] = [await newCustomer(tenant), await newCustomer(tenant)];
  const { code } = await billing.referrals.createCode({ customerId: referrer });
  const subscribed = (await newSubscription(tenant, (await newMonthlyPrice(tenant)).priceId)).customerId;
  const apply = (refereeCustomerId: string, appliedCode = code) =>
    billing.referrals.apply({ code: appliedCode, refereeCustomerId });

  expect(await errorOf(apply(referee, 'AAAAAAAA'))).toMatchObject({ status: 404, code: 'referral_code_not_found' });
  expect(await errorOf(apply('pc_00000000000000000000'))).toMatchObject({ status: 404, code: 'customer_not_found' });
  expect(await errorOf(apply(referrer))).toMatchObject({ status: 409, code: 'referral_self' });
  expect(await errorOf(apply(subscribed))).toMatchObject({ status: 409, code: 'referral_already_subscribed' });
  const referral = await apply(referee);
  expect(referral).toMatchObject({ code, referrerCustomerId: referrer, refereeCustomerId: referee, status: 'pending' });
  expect(await errorOf(apply(referee))).toMatchObject({ status: 409, code: 'referral_already_applied' });

  expect((await billing.referrals.list({ refereeCustomerId: referee }).page()).items).toEqual([
    { ...referral, convertedAt: null },
  ]);

  await billing.referrals.deactivateCode(code);
  const late = apply(await newCustomer(tenant));
  expect(await errorOf(late)).toMatchObject({ status: 422, code: 'referral_code_inactive' });
  const history = await billing.referrals.getCode(code);
  expect(history.code).toMatchObject({ code, customerId: referrer, isActive: false });
  expect(history.referrals).toEqual([
    expect.objectContaining({ id: referral.id, refereeCustomerId: referee, status: 'pending', convertedAt: null }),
  ]);
});
