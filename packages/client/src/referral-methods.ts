import type { CallOptions, WriteOptions } from './options.ts';
import type { PageOptions } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** The methods of `billing.referrals`. */
export const referralMethods = (requests: Requests) => ({
  config: async (options?: CallOptions): Promise<wire.ReferralConfig> =>
    (await requests.get<{ config: wire.ReferralConfig }>('/referrals/config', undefined, options)).config,
  updateConfig: async (body: wire.ReferralConfigUpdate, options?: CallOptions): Promise<wire.ReferralConfig> =>
    (await requests.put<{ config: wire.ReferralConfig }>('/referrals/config', body, options)).config,
  createCode: async (body: wire.ReferralCodeCreate, options?: WriteOptions): Promise<wire.ReferralCode> =>
    (await requests.post<{ code: wire.ReferralCode }>('/referrals/codes', body, options)).code,
  /** Lists active codes; all with `activeOnly: false`, those of one referrer with `customerId`. */
  listCodes: (filters?: wire.ReferralCodeFilters, options?: CallOptions) =>
    requests.list<wire.ReferralCode>('/referrals/codes', 'codes', filters, options),
  /** Returns a code and a page of its referrals, newest first; 100 per page by default. */
  getCode: (code: string, page?: PageOptions, options?: CallOptions) =>
    requests.get<wire.ReferralCodeHistory>(`/referrals/codes/${segment(code)}`, page, options),
  deactivateCode: (code: string, options?: CallOptions) =>
    requests.delete(`/referrals/codes/${segment(code)}`, options),
  /** Records who referred a new customer. The referral converts when that customer subscribes. */
  apply: async (body: wire.ReferralApply, options?: WriteOptions): Promise<wire.AppliedReferral> =>
    (await requests.post<{ referral: wire.AppliedReferral }>('/referrals/apply', body, options)).referral,
  /** Lists referrals: with `refereeCustomerId` the one of a customer who was referred, with `referrerCustomerId` those of a referrer. */
  list: (filters?: wire.ReferralFilters, options?: CallOptions) =>
    requests.list<wire.Referral>('/referrals', 'referrals', filters, options),
  listCredits: (filters?: wire.ReferralCreditFilters, options?: CallOptions) =>
    requests.list<wire.ReferralCredit>('/referrals/credits', 'credits', filters, options),
  /** Sends a credit again that failed; the customer is credited once. */
  retryCredit: async (id: string, options?: WriteOptions): Promise<wire.ReferralCredit> =>
    (
      await requests.post<{ credit: wire.ReferralCredit }>(
        `/referrals/credits/${segment(id)}/retry`,
        undefined,
        options,
      )
    ).credit,
});
