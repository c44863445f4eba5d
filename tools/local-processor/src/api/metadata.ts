import type { Stripe } from 'stripe';
import { invalidRequest } from './errors.ts';

const MAX_KEYS = 50;

/**
 * Returns the metadata after an update: given keys are merged, an empty value removes its key, null removes all keys,
 * undefined changes nothing. (Stripe: https://docs.stripe.com/api/metadata)
 * @throws ApiError 400 when there are more than 50 keys
 */
export function mergeMetadata(
  existing: Stripe.Metadata | null,
  given: Record<string, string> | null | undefined,
): Stripe.Metadata {
  if (given === undefined) return existing ?? {};
  if (given === null) return {};
  const merged = { ...existing, ...given };
  const remaining = Object.entries(merged).filter(([, value]) => value !== '');
  if (remaining.length > MAX_KEYS)
    throw invalidRequest(
      `Metadata can have up to ${MAX_KEYS} keys, but this would leave ${remaining.length}.`,
      'metadata',
    );
  return Object.fromEntries(remaining);
}
