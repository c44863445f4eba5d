const ROUTING_KEYS = new Set(['teamId', 'projectId', 'customerId', 'priceId']);

/** What the tenant wrote, without what this service adds at the processor to find the way back. */
export const withoutRouting = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !ROUTING_KEYS.has(key)));
