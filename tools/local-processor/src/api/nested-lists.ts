/** Stripe puts so many items of a list into the object that has it. */
const MAX_NESTED = 10;
const LISTS: ReadonlySet<string> = new Set(['items', 'lines', 'payments', 'refunds', 'subscriptions', 'tax_ids']);

/** Returns a body, an object or a list of objects, as Stripe sends it: nested lists are cut after ten items, also those of expanded objects. */
export function cutNestedLists(body: object): object {
  let shown = body;
  for (const [name, value] of Object.entries(body)) {
    const cut = Array.isArray(value)
      ? cutEach(value)
      : isApiObject(value)
        ? cutNestedLists(cutList(name, value))
        : value;
    if (cut !== value) shown = { ...shown, [name]: cut };
  }
  return shown;
}

function cutEach(values: readonly unknown[]): readonly unknown[] {
  const cut = values.map(value => (isApiObject(value) ? cutNestedLists(value) : value));
  return cut.some((value, index) => value !== values[index]) ? cut : values;
}

function cutList(name: string, value: object): object {
  const data: unknown = Reflect.get(value, 'data');
  const isLong = LISTS.has(name) && Array.isArray(data) && data.length > MAX_NESTED;
  return isLong ? { ...value, data: data.slice(0, MAX_NESTED), has_more: true } : value;
}

const isApiObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'object' in value;
