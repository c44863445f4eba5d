/** One condition of a search query: a field, or a key of the metadata, has a value. */
export interface SearchClause {
  field: string;
  /** The key, for `metadata`; null for other fields. */
  key: string | null;
  value: string;
}

const CLAUSE = /^(?<field>\w+)(?:\[(?<key>"[^"]*"|'[^']*')\])?:(?<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/;
const MAX_CLAUSES = 10;

/**
 * Parses conditions that are combined by AND: `metadata['projectId']:'p1' AND email:"ada@example.com"`. Returns null for
 * what is not of this form; other operators are not implemented.
 * (Stripe: https://docs.stripe.com/search#search-query-language)
 */
export function parseSearchQuery(query: string): SearchClause[] | null {
  const clauses: SearchClause[] = [];
  let rest = query.trim();
  while (rest !== '') {
    const groups = CLAUSE.exec(rest)?.groups;
    if (!groups || clauses.length === MAX_CLAUSES) return null;
    const { field = '', key, value = '' } = groups;
    clauses.push({ field, key: key === undefined ? null : key.slice(1, -1), value: unquoted(value) });
    const after = rest.replace(CLAUSE, '');
    const next = after.replace(/^\s+AND\s+(?=\S)/, '').trim();
    // Between two clauses there must be an AND.
    if (next !== '' && next === after.trim()) return null;
    rest = next;
  }
  return clauses.length === 0 ? null : clauses;
}

/** Returns whether an object has all the values. Upper and lower case are the same. */
export function matchesSearch(row: object, clauses: readonly SearchClause[]): boolean {
  return clauses.every(({ field, key, value }) => {
    const found = key === null ? ownValue(row, field) : ownValue(ownValue(row, field), key);
    return typeof found === 'string'
      ? found.toLowerCase() === value.toLowerCase()
      : typeof found === 'boolean' && String(found) === value.toLowerCase();
  });
}

function ownValue(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null && Object.hasOwn(from, name) ? Reflect.get(from, name) : undefined;
}

function unquoted(value: string): string {
  return value.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}
