import { createHmac, randomBytes } from 'node:crypto';

interface SignatureOptions {
  /** When it is signed, in seconds since 1970; now by default. */
  readonly at?: number;
  readonly scheme?: string;
}

/**
 * Returns the `Stripe-Signature` header of a body: with one signature for each secret, as Stripe sends while a secret is
 * rolled. https://docs.stripe.com/webhooks#verify-manually
 */
export function signatureOf(
  body: string | Uint8Array,
  secrets: string | readonly string[],
  { at = Math.floor(Date.now() / 1_000), scheme = 'v1' }: SignatureOptions = {},
): string {
  const digest = (secret: string) => createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  return [`t=${at}`, ...[secrets].flat().map(secret => `${scheme}=${digest(secret)}`)].join(',');
}

/** Returns a webhook event of any type, of a test account, as Stripe sends it. */
export function newWebhookEvent<Data extends object>(type: string, object: Data, changes: object = {}) {
  return {
    id: `evt_${randomBytes(12).toString('hex')}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object },
    ...changes,
  };
}
