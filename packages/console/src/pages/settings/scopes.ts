import type { ApiKey } from '@billing/client';

export type Scope = ApiKey['scopes'][number];

/** What each scope allows; a scope grants exactly its own name. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  'products:read': 'Read products, prices, features',
  'products:write': 'Change products, prices, features',
  'customers:read': 'Read customers and their grants',
  'customers:write': 'Change customers and their grants',
  'subscriptions:read': 'Read subscriptions, invoices, payments',
  'subscriptions:write': 'Checkouts, portal links, cancel, refund',
  'referrals:read': 'Read and apply referrals',
  'referrals:write': 'Change the referral program',
  'analytics:read': 'Read metrics and webhook events',
  'entitlements:read': 'Read what customers may use',
  'usage:write': 'Record usage of customers',
  'webhooks:read': 'Read events: all that the project has',
  'webhooks:write': 'Change and test webhook endpoints',
};

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]; // an object's keys are typed as string
