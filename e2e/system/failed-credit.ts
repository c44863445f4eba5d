import { waitFor } from '@billing/testing/wait-for';
import { newCustomer, newMonthlyPrice, payOnHostedPage, type Tenant } from './tenant.ts';

const URLS = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };

interface Referral {
  /** Who gets the credit; a new customer unless given. */
  readonly customerId?: string;
  /** What the referred customer buys; a new price unless given. */
  readonly priceId?: string;
}

/**
 * Returns the id of a credit that the processor refused. Its customer has a code and has referred another. Leaves the program
 * enabled, with a credit for the referrer only.
 */
export async function newFailedCredit(tenant: Tenant, { customerId, priceId }: Referral = {}): Promise<string> {
  const { billing, processor } = tenant;
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 0 });
  const [referrer, referee] = [customerId ?? (await newCustomer(tenant)), await newCustomer(tenant)];
  const { processorCustomerId } = await billing.customers.get(referrer);
  const path = `/v1/customers/${processorCustomerId}/balance_transactions`;
  await processor.fail({ path, method: 'POST', mode: '400', times: 1 });

  const { code } = await billing.referrals.createCode({ customerId: referrer });
  await billing.referrals.apply({ code, refereeCustomerId: referee });
  const bought = priceId ?? (await newMonthlyPrice(tenant)).priceId;
  await payOnHostedPage((await billing.checkout.create({ customerId: referee, priceId: bought, ...URLS })).url);
  const credit = await waitFor(
    async () => {
      const { items } = await billing.referrals.listCredits({ status: 'failed', customerId: referrer }).page();
      return items[0];
    },
    { what: 'the credit to fail' },
  );
  return credit.id;
}
