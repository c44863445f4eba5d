import type { Page, Referral, ReferralCode, ReferralCredit } from '@billing/client';
import { queryOptions } from '@tanstack/react-query';
import type { ProjectScope } from '#api/project.ts';

const MAX_SHOWN = 10;

export interface CustomerReferrals {
  /** How the customer was referred; null for one who was not. */
  readonly referral: Referral | null;
  readonly codes: Page<ReferralCode>;
  readonly credits: Page<ReferralCredit>;
  /** How many customers came by the codes, and how many of them subscribed. */
  readonly referred: number;
  readonly converted: number;
}

/** Who referred a customer, the customer's newest codes and credits, and how many customers came by the codes. */
export const referralQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('referral', customerId),
    queryFn: async ({ signal }): Promise<CustomerReferrals> => {
      const ofCustomer = { customerId, limit: MAX_SHOWN };
      const [referrals, codes, credits] = await Promise.all([
        billing.referrals.list({ refereeCustomerId: customerId, limit: 1 }, { signal }).page(),
        billing.referrals.listCodes({ ...ofCustomer, activeOnly: false }, { signal }).page(),
        billing.referrals.listCredits(ofCustomer, { signal }).page(),
      ]);
      const referred = { referrerCustomerId: customerId, limit: 1 };
      const [all, converted] =
        codes.total === 0
          ? []
          : await Promise.all([
              billing.referrals.list(referred, { signal }).page(),
              billing.referrals.list({ ...referred, status: 'converted' }, { signal }).page(),
            ]);
      return {
        referral: referrals.items[0] ?? null,
        codes,
        credits,
        referred: all?.total ?? 0,
        converted: converted?.total ?? 0,
      };
    },
    refetchInterval: 5_000,
  });
