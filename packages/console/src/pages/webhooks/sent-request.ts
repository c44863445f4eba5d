/** What is sent to an endpoint at one attempt. */
interface SentRequest {
  readonly url: string;
  readonly eventId: string;
  readonly body: string;
}

/** Of each request, beside those that begin with `webhook-`. */
const FIXED_HEADERS = {
  accept: '*/*',
  'content-type': 'application/json',
  'user-agent': 'Billing-Webhooks/1',
} as const;

/** Returns the headers of an attempt; its signature was made with the secrets, which nobody can see any more. */
export const sentHeaders = (eventId: string, at: string): Readonly<Record<string, string>> => ({
  ...FIXED_HEADERS,
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(Date.parse(at) / 1_000)),
  'webhook-signature': 'v1,… made with the secret',
});

/**
 * Returns a shell script that sends the event as an attempt does. It asks for the secret in `WEBHOOK_SECRET`, and signs with
 * the time at which it runs, because receivers refuse old ones.
 */
export function curlScript({ url, eventId, body }: SentRequest): string {
  return [
    ': "${WEBHOOK_SECRET:?Set it to the secret of the endpoint, whsec_…}"',
    `id=${quoted(eventId)}`,
    'timestamp=$(date +%s)',
    `body=${quoted(body)}`,
    `key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
    'signature=$(printf %s "$id.$timestamp.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)',
    `curl -i ${quoted(url)} \\`,
    ...Object.entries(FIXED_HEADERS).map(([name, value]) => `  -H '${name}: ${value}' \\`),
    '  -H "webhook-id: $id" -H "webhook-timestamp: $timestamp" -H "webhook-signature: v1,$signature" \\',
    '  --data-binary "$body"',
  ].join('\n');
}

/** Returns a text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
