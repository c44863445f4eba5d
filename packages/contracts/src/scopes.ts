import { z } from 'zod';

/** What an API key may be allowed; each grants exactly its own name. */
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
] as const;
export type Scope = (typeof SCOPES)[number];
export const scope = z.enum(SCOPES);
