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
] as const;
export type Scope = (typeof SCOPES)[number];
export const scope = z.enum(SCOPES);
