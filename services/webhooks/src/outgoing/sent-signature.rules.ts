import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const NEW_BYTES = 32;
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/** Returns a new secret of an endpoint: `whsec_` and base64 of 32 random bytes. */
export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(NEW_BYTES).toString('base64')}`;

/**
 * Returns the key that a secret stands for, its decoded bytes; undefined unless it is `whsec_` and strict base64 of 24 to 64
 * bytes. Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function endpointKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  // Node's decoder takes what is no base64, and passes over it.
  const isStrict = key.toString('base64') === encoded;
  return isStrict && key.length >= MIN_BYTES && key.length <= MAX_BYTES ? key : undefined;
}

type HeaderName = 'accept' | 'content-type' | 'user-agent' | `webhook-${'id' | 'timestamp' | 'signature'}`;

/**
 * Returns the headers of one attempt to send an event. It is signed with each key, the newest first, over
 * `id.timestamp.body`; the timestamp is that of the attempt, in Unix seconds.
 */
export function signedHeaders(
  keys: readonly Buffer[],
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: Buffer },
): Readonly<Record<HeaderName, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map(
    key => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'Billing-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
