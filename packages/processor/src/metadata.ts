import { ROUTING_KEYS } from '@billing/contracts/metadata';

type Metadata = Readonly<Record<string, string>>;

const ROUTING: ReadonlySet<string> = new Set(ROUTING_KEYS);

/** What callers see of the processor's metadata: all but the keys that route its events. */
export function withoutRouting(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !ROUTING.has(key)));
}

/** Metadata as it is kept: a key with an empty value is no key. https://docs.stripe.com/api/metadata */
export function withoutEmpty(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ''));
}

/**
 * What to send so that `next` takes the place of `current`: the processor merges, and removes a key that is sent
 * empty. Routing keys are in neither and stay.
 */
export function replacement(current: Metadata, next: Metadata): Record<string, string> {
  const vanished = Object.keys(current).filter(key => !Object.hasOwn(next, key));
  return { ...Object.fromEntries(vanished.map(key => [key, ''])), ...next };
}

/** Whether two hold the same keys and values, in whatever order. */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every(key => one[key] === other[key]);
}
