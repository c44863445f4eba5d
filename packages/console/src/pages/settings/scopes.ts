import type { ApiKey } from '@billing/client';

export type Scope = ApiKey['scopes'][number];

/** What each scope allows; a scope grants exactly its own name. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  'products:read': 'Read products and prices',
  'products:write': 'Change products and prices',
  'customers:read': 'Read customers',
  'customers:write': 'Change customers',
  'subscriptions:read': 'Read subscriptions, invoices, payments',
  'subscriptions:write': 'Checkouts, portal links, cancel, refund',
  'entitlements:read': 'Read what customers may use',
  'referrals:read': 'Read and apply referrals',
  'referrals:write': 'Change the referral program',
  'analytics:read': 'Read metrics and webhook events',
  'webhooks:read': 'Read events: all that the project has',
  'webhooks:write': 'Change and test webhook endpoints',
};

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]; // an object's keys are typed as string
