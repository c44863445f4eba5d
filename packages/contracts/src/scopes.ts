import { z } from 'zod';

/** The scopes of an API key. Each grants exactly its own name: `write` does not include `read`. */
export const SCOPES = [
  'products:read',
  'products:write',
  'customers:read',
  'customers:write',
  'subscriptions:read',
  'subscriptions:write',
  'referrals:read',
  'referrals:write',
  'analytics:read',
  'entitlements:read',
  'usage:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof SCOPES)[number];
export const scope = z.enum(SCOPES);

/** Returns the first of the required scopes that is not granted. */
export const missingScope = (required: readonly Scope[], granted: readonly Scope[]): Scope | undefined =>
  required.find(it => !granted.includes(it));
