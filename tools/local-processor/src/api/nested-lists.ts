/** Stripe puts so many items of a list into the object that has it. */
const MAX_NESTED = 10;
const LISTS = ['items', 'lines', 'payments', 'refunds', 'subscriptions'] as const;

/** Returns a body, an object or a list of objects, as Stripe sends it: nested lists are cut after ten items. */
export function cutNestedLists(body: object): object {
  const rows: unknown = Reflect.get(body, 'object') === 'list' ? Reflect.get(body, 'data') : undefined;
  return Array.isArray(rows) ? { ...body, data: rows.map(cut) } : cut(body);
}

function cut(object: object): object {
  let shown = object;
  for (const name of LISTS) {
    const list: unknown = Reflect.get(object, name);
    if (typeof list !== 'object' || list === null) continue;
    const data: unknown = Reflect.get(list, 'data');
    if (Array.isArray(data) && data.length > MAX_NESTED)
      shown = { ...shown, [name]: { ...list, data: data.slice(0, MAX_NESTED), has_more: true } };
  }
  return shown;
}
