import { createHmac, randomBytes } from 'node:crypto';
import { eventExample } from '@billing/contracts/resources/event-data';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, type WebhookHeaders } from '../src/index.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({ ...eventExample('customer.updated'), data: { name: 'Zoë 🦊' } });
const now = () => Math.floor(Date.now() / 1_000);

interface Sent {
  readonly body?: string;
  readonly secret?: string;
  readonly at?: number;
}

/** Signed by an independent implementation. */
function headersOf({ body = BODY, secret = SECRET, at = now() }: Sent = {}) {
  const signature = new Webhook(secret).sign('ev_1', new Date(at * 1_000), body);
  return { 'webhook-id': 'ev_1', 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

const codeOf = (verifying: Promise<unknown>) =>
  verifying.then(
    () => 'verified',
    (err: { readonly code?: string; readonly name: string }) => err.code ?? err.name,
  );

describe('verifyWebhook', () => {
  it.each<[string, WebhookHeaders]>([
    ['as Node has them', headersOf()],
    ['of the Fetch API', new Headers(headersOf())],
    [
      'in any case',
      Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ['as lists', Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name, [value]]))],
  ])('returns the event with headers %s, from text and from bytes', async (_what, headers) => {
    expect(await verifyWebhook(BODY, headers, SECRET)).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook(Buffer.from(BODY), headers, SECRET)).toEqual(JSON.parse(BODY));
  });

  it('accepts any of several signatures, as while a secret is being replaced', async () => {
    const older = `whsec_${randomBytes(24).toString('base64')}`;
    const headers = headersOf();
    const both = `v2,abc ${headersOf({ secret: older })['webhook-signature']} ${headers['webhook-signature']}`;
    for (const secret of [SECRET, older])
      expect(await codeOf(verifyWebhook(BODY, { ...headers, 'webhook-signature': both }, secret))).toBe('verified');
  });

  it.each([
    ['another body', { body: BODY.replace('Zoë', 'Zoe') }, {}],
    ['another secret', { secret: `whsec_${randomBytes(32).toString('base64')}` }, {}],
    ['another id', {}, { 'webhook-id': 'ev_2' }],
    ['another time', {}, { 'webhook-timestamp': String(now() - 1) }],
    ['no signature of ours', {}, { 'webhook-signature': `v1,${'A'.repeat(43)}=` }],
    ['another version', {}, { 'webhook-signature': headersOf()['webhook-signature'].replace('v1', 'v2') }],
  ])('refuses %s', async (_what, sent, changed) => {
    const headers = { ...headersOf(sent), ...changed };
    expect(await codeOf(verifyWebhook(BODY, headers, SECRET))).toBe('wrong_signature');
  });

  it('refuses a signature that was made with the text of the secret as key', async () => {
    const headers = headersOf();
    const content = `ev_1.${headers['webhook-timestamp']}.${BODY}`;
    for (const key of [SECRET, SECRET.slice('whsec_'.length)]) {
      const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
      const verifying = verifyWebhook(BODY, { ...headers, 'webhook-signature': signature }, SECRET);
      expect(await codeOf(verifying)).toBe('wrong_signature');
    }
  });

  it.each([-310, 310])('refuses one of %d seconds from now, unless that is tolerated', async offset => {
    const headers = headersOf({ at: now() + offset });
    expect(await codeOf(verifyWebhook(BODY, headers, SECRET))).toBe('outside_tolerance');
    expect(await codeOf(verifyWebhook(BODY, headers, SECRET, { toleranceSeconds: 900 }))).toBe('verified');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('needs the header %s', async name => {
    expect(await codeOf(verifyWebhook(BODY, { ...headersOf(), [name]: undefined }, SECRET))).toBe('missing_headers');
  });

  it('says what it was given instead of a body or a secret', async () => {
    const parsed = JSON.parse(BODY) as string; // an object, as a parser of JSON leaves it
    await expect(verifyWebhook(parsed, headersOf(), SECRET)).rejects.toThrow('not what was parsed');
    for (const secret of ['', 'whsec_', SECRET.slice(6)])
      await expect(verifyWebhook(BODY, headersOf(), secret)).rejects.toThrow('starts with whsec_');
  });
});
