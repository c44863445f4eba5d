/**
 * Returns the previous value of every changed attribute, as an `*.updated` event contains them; undefined when nothing
 * changed. A nested object contains only its changed keys, a new key is null, and an array is complete.
 * (Stripe: https://docs.stripe.com/api/events/object, `data.previous_attributes`)
 */
export function previousAttributes(before: object, after: object): Record<string, unknown> | undefined {
  const earlier = new Map(Object.entries(before));
  const later = new Map(Object.entries(after));
  const changes: Record<string, unknown> = {};
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(key), later.get(key)];
    if (isPlain(was) && isPlain(is)) {
      const nested = previousAttributes(was, is);
      if (nested) changes[key] = nested;
    } else if (JSON.stringify(was) !== JSON.stringify(is)) {
      changes[key] = was ?? null;
    }
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
