import type { Stripe } from 'stripe';
import { invalidRequest } from './failure.ts';

const MOST_KEYS = 50;

/**
 * Metadata after an update: given keys replace or join what is there, an empty value unsets its key, null unsets all,
 * undefined changes nothing. At most 50 keys. (Stripe: https://docs.stripe.com/api/metadata)
 */
export function mergeMetadata(
  existing: Stripe.Metadata | null,
  given: Record<string, string> | null | undefined,
): Stripe.Metadata {
  if (given === undefined) return existing ?? {};
  if (given === null) return {};
  const merged = { ...existing, ...given };
  const kept = Object.entries(merged).filter(([, value]) => value !== '');
  if (kept.length > MOST_KEYS)
    throw invalidRequest(`Metadata can have up to ${MOST_KEYS} keys, but this would leave ${kept.length}.`, {
      param: 'metadata',
    });
  return Object.fromEntries(kept);
}
