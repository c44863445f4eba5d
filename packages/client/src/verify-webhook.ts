import type { ReceivedEvent } from './events.ts';

/** The headers of a request, of the Fetch API or of Node; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * A webhook that is not ours, or not for now. `code` says why: `missing_headers`, `wrong_signature` (another secret, or not the
 * bytes that were sent) or `outside_tolerance` (an old request, or a clock that is wrong).
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: 'missing_headers' | 'wrong_signature' | 'outside_tolerance';

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Verifies a webhook and returns its event. `body` are the bytes as they came, or their text; `secret` is the endpoint's, which
 * starts with `whsec_`. Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @throws WebhookVerificationError when it is not ours or too old: respond with 400
 * @throws TypeError for a body that was parsed already, and for what is no secret
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  /** How far the time of the request may be from ours, in seconds; 300 by default. */
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number | undefined } = {},
): Promise<ReceivedEvent> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('The body must be the text or the bytes that were sent, not what was parsed from them.');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name => header(headers, `webhook-${name}`));
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError(
      'missing_headers',
      'A webhook has the headers webhook-id, webhook-timestamp and webhook-signature.',
    );
  const sent = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const expected = `v1,${await sign(keyOf(secret), `${id}.${timestamp}.`, sent)}`;
  // There is one for each secret that is valid.
  const isSigned = signatures.split(' ').reduce((found, signature) => isSame(signature, expected) || found, false);
  if (!isSigned)
    throw new WebhookVerificationError(
      'wrong_signature',
      'The signature does not match the secret and the body; the body must be as it was sent, byte for byte.',
    );
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!(age <= toleranceSeconds))
    throw new WebhookVerificationError(
      'outside_tolerance',
      `The webhook was sent at another time: ${Math.round(age)} seconds from now.`,
    );
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as ReceivedEvent; // signed by the service
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  // The Headers of another implementation is no instance of this one's.
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined;
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

/** The key is what the text after `whsec_` encodes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{32,}={0,2})\s*$/.exec(secret) ?? [];
  if (!encoded) throw new TypeError('The secret of an endpoint starts with whsec_ and goes on in base64.');
  return Uint8Array.from(atob(encoded), character => character.charCodeAt(0));
}

/** Returns the signature in base64. */
async function sign(key: Uint8Array<ArrayBuffer>, start: string, body: Uint8Array): Promise<string> {
  const { subtle } = crypto;
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const prefix = new TextEncoder().encode(start);
  const message = new Uint8Array(prefix.length + body.length);
  message.set(prefix);
  message.set(body, prefix.length);
  return btoa(String.fromCharCode(...new Uint8Array(await subtle.sign('HMAC', imported, message))));
}

/** Takes as long wherever the texts differ. */
function isSame(text: string, expected: string): boolean {
  if (text.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at += 1) difference |= text.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}
