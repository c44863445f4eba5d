import { z } from 'zod';
import { isStorable } from './text.ts';

/**
 * Keys that this service sets at the processor: they route webhook events back to a project, `operationId` finds what an operation
 * created, `checkoutId` what was sold without a page, `changeId` the newest change of a subscription, and `billingTrace` continues
 * the trace of a checkout.
 */
export const ROUTING_KEYS = [
  'teamId',
  'projectId',
  'customerId',
  'priceId',
  'operationId',
  'checkoutId',
  'changeId',
  'billingTrace',
] as const;
export type RoutingKey = (typeof ROUTING_KEYS)[number];

/** The key under which the processor has a copy of a customer's `externalId`. */
export const EXTERNAL_ID_KEY = 'externalId';

/** The key under which the processor has the `key` of a product, a price or a coupon. */
export const CATALOG_KEY = 'catalogKey';

/** Stripe allows 50 keys; four are for ours. */
const MAX_KEYS = 46;

const DESCRIPTION = `Your own key-value pairs: at most ${MAX_KEYS} keys of 1 to 40 characters.`;

const RESERVED: ReadonlySet<string> = new Set([
  ...ROUTING_KEYS,
  EXTERNAL_ID_KEY,
  CATALOG_KEY,
  '__proto__',
  'constructor',
  'prototype',
]);

const key = z
  .string()
  .min(1)
  .max(40)
  .regex(/^[^[\]]*$/u, 'A metadata key may not contain square brackets.')
  .refine(isStorable, 'Contains characters that cannot be stored.')
  .refine(it => !RESERVED.has(it), 'This metadata key is reserved.');

const value = z
  .string('A metadata value is a string.')
  .max(500)
  .refine(isStorable, 'Contains characters that cannot be stored.');

/** Key-value pairs that a caller attaches to a resource. Stripe: https://docs.stripe.com/metadata */
export const metadata = z
  .record(key, value)
  .refine(it => Object.keys(it).length <= MAX_KEYS, `At most ${MAX_KEYS} keys.`)
  .describe(DESCRIPTION);

export type Metadata = z.output<typeof metadata>;

/** Metadata in an update. */
export const replacedMetadata = metadata
  .nullable()
  .transform(it => it ?? {})
  .describe(`${DESCRIPTION} Replaces the previous value as a whole; null clears it.`);

/** Metadata in a response: not validated again. */
export const storedMetadata = z.record(z.string(), z.string()).describe('Your own key-value pairs.');
