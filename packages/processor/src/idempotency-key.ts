/**
 * Returns the idempotency key of one write, made from our own operation: the same operation always gets the same key, so
 * that the processor does it once however often it is sent. `version` separates writes that are meant to be repeated,
 * because the processor replays the first response under a key for 24 hours.
 * https://docs.stripe.com/api/idempotent_requests
 */
export function idempotencyKey(operation: string, id: string, version?: number | string): string {
  return ['billing', operation, id, ...(version === undefined ? [] : [version])].join(':');
}
