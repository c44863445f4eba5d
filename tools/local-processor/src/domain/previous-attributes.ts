/**
 * What an `*.updated` event says about the time before it: the earlier value of every attribute that changed. Inside a
 * nested object only the changed keys are named, a key that is new has been null, and an array is given whole.
 * Undefined when nothing changed. (Stripe: https://docs.stripe.com/api/events/object, `data.previous_attributes`)
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
