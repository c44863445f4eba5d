import type { Stripe } from 'stripe';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { expand, integer, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { matchesSearch, parseSearchQuery } from '../domain/search-query.ts';
import { isDeleted } from '../objects/finding.ts';

const searchParameters = parameters<Stripe.CustomerSearchParams>()({
  expand,
  limit: integer(1, 100).default(10),
  page: text().optional(),
  query: text(),
});

/** The tables that can be searched, by the resource's path, and the fields that a query may name. */
const SEARCHED = {
  customers: { table: 'customer', fields: ['email', 'metadata', 'name', 'phone'] },
  prices: { table: 'price', fields: ['active', 'currency', 'metadata', 'product', 'type'] },
  products: { table: 'product', fields: ['active', 'description', 'metadata', 'name', 'url'] },
  subscriptions: { table: 'subscription', fields: ['metadata', 'status'] },
} as const;

/** Searches objects by exact values. Unlike Stripe's, new objects are found at once. */
export const searchEndpoints = Object.entries(SEARCHED).map(([resource, { table, fields }]) =>
  endpoint('GET', `/v1/${resource}/search`, searchParameters, (unit, given, { url }) => {
    const clauses = parseSearchQuery(given.query);
    if (!clauses)
      throw invalidRequest(
        `We were unable to parse your search query. The local processor understands \`field:'value'\` and \`metadata['key']:'value'\`, combined by AND.`,
        'query',
      );
    const allowed: readonly string[] = fields;
    for (const { field, key } of clauses)
      if (!allowed.includes(field) || (field === 'metadata') !== (key !== null))
        throw invalidRequest(
          `Field \`${field}\` is an unsupported search field for resource \`${resource}\`.`,
          'query',
        );
    const found = rowsOf(unit, table).filter(row => !isDeleted(row) && matchesSearch(row, clauses));
    const start = given.page === undefined ? 0 : startOf(found, given.page);
    const data = found.slice(start, start + given.limit);
    const has_more = found.length > start + given.limit;
    return {
      object: 'search_result',
      data,
      has_more,
      next_page: has_more ? Buffer.from(data.at(-1)?.id ?? '').toString('base64url') : null,
      url,
      ...(given.expand?.includes('total_count') ? { total_count: found.length } : {}),
    };
  }),
);

function rowsOf(unit: UnitOfWork, table: 'customer' | 'price' | 'product' | 'subscription'): { id: string }[] {
  return unit.tables[table].newestFirst();
}

/** Returns where the page begins that a token names: after the last object of the page before. */
function startOf(found: readonly { id: string }[], page: string): number {
  const last = Buffer.from(page, 'base64url').toString();
  const index = found.findIndex(({ id }) => id === last);
  if (index < 0) throw invalidRequest('The `page` is not one that a search has returned.', 'page');
  return index + 1;
}
