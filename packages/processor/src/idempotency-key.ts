/**
 * The idempotency key of one write, made from our own operation: the same operation always gets the same key, so that
 * the processor does it once however often it is sent. `version` tells apart writes that may rightly be repeated, for
 * a key replays its first answer for 24 hours. https://docs.stripe.com/api/idempotent_requests
 */
export function idempotencyKey(operation: string, id: string, version?: number | string): string {
  return ['billing', operation, id, ...(version === undefined ? [] : [version])].join(':');
}
