/** Returns what a query has loaded with one record changed, be it that record, a page of them, or several pages. */
export function withChange(data: unknown, id: string, change: object): unknown {
  if (Array.isArray(data)) return data.map(part => withChange(part, id, change));
  if (typeof data !== 'object' || data === null) return data;
  if ('id' in data && data.id === id) return { ...data, ...change };
  if ('items' in data) return { ...data, items: withChange(data.items, id, change) };
  return 'pages' in data ? { ...data, pages: withChange(data.pages, id, change) } : data;
}
