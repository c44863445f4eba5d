import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyObject, startReceiver, type Receiver } from '@billing/testing/receiver';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { exportTracesTo, startGatewayCopy, type GatewayCopy } from '../system/gateway-copy.ts';
import { send } from '../system/hostile/send.ts';
import { readLogs } from '../system/logs.ts';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';
import { spellingsOf } from './spellings.ts';

const open = new AsyncDisposableStack();
let tenant: Tenant;
let customerId: string;
let subscriptionId: string;
let collector: Receiver;
let traced: GatewayCopy;
beforeAll(async () => {
  collector = open.use(await startReceiver(emptyObject));
  const [copy, created] = await Promise.all([
    startGatewayCopy(inject('dataDir'), exportTracesTo(collector.origin)),
    newTenant(),
  ]);
  traced = open.adopt(copy, started => started.stop());
  tenant = created;
  ({ id: subscriptionId, customerId } = await newSubscription(tenant, (await newMonthlyPrice(tenant)).priceId));
});
afterAll(() => open.disposeAsync());

const newToken = async (): Promise<string> => (await tenant.billing.portal.create({ customerId })).token;

/** Every way in which a link is used. */
const uses = (token: string) =>
  [
    ['GET', `/portal/${token}`],
    ['GET', `/portal/${token}?tab=invoices`],
    ['GET', `/portal/${token}/subscriptions/${subscriptionId}/cancel`],
    ['POST', `/portal/${token}/subscriptions/${subscriptionId}/cancel`],
    ['POST', `/portal/${token}/subscriptions/${subscriptionId}/resume`],
    ['POST', `/portal/${token}/payment-method`],
    ['POST', `/api/portal/${token}/setup-intent`],
    ['PATCH', `/api/portal/${token}/subscriptions/${subscriptionId}`],
    ['GET', `/portal/${token}/nothing`],
    ['DELETE', `/portal/${token}`],
  ] as const;

/** The link as people and programs garble it, and the token where it does not belong. */
function oddPaths(token: string): string[] {
  const encoded = Array.from(Buffer.from(token), byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const half = encoded.slice(0, 60) + token.slice(20);
  const { P } = tenant;
  return [
    `/Portal/${token}`,
    `/PORTAL/${token}/subscriptions/x/cancel`,
    `/%70ortal/${token}`,
    `/portal/${encoded}`,
    `/portal/${half}`,
    `/Portal/${encoded}`,
    `/${half}`,
    `/portal%2f${token}`,
    `/portal%2F${encoded}`,
    `//portal/${token}`,
    `/portal//${token}`,
    `/portal/./${token}`,
    `/portal/../portal/${token}`,
    `/portal/${token}/`,
    `/portal/${token};jsessionid=1`,
    `/portal;x=${token}`,
    `/portal/${token}%00`,
    `/portal/%ff${token}`,
    `/portal/%${token}`,
    `/portal/${token}%20`,
    `/portal/${token})`,
    `/portal/${token},`,
    `/portal/<${token}>`,
    `/portal/token=${token}`,
    `/portal/x/${token}`,
    `/portal/return/${token}`,
    `/portal/assets/${token}`,
    `/api/Portal/${token}/setup-intent`,
    `/API/PORTAL/${token}`,
    `/api/portal/x/${token}`,
    `/api/portal/${token}`,
    `/api/service/portal/${token}`,
    `/api/service/invitations/${token}/accept`,
    `/api/webhooks/processor/${token}`,
    `/api/auth/${token}`,
    `/${token}`,
    `/docs/${token}/x`,
    `/shop/portal/${token}`,
    `/?token=${token}`,
    `/portal?token=${token}`,
    `/portal/x?token=${token}`,
    `/portal/%3Ftoken=${token}`,
    `/portal/%23${token}`,
    `${P}/portal/sessions/${token}`,
    `${P}/customers/${token}`,
    `${P}/customers?search=${token}`,
    `http://127.0.0.1/portal/${token}`,
    `portal/${token}`,
  ];
}

const fetchFrom = (url: string, method: string, path: string) => {
  const isChange = method === 'PATCH';
  return send(url, {
    method,
    path,
    headers: { referer: `${url}${path}`, ...(isChange && { 'content-type': 'application/json' }) },
    body: isChange ? Buffer.from('{"cancelAtPeriodEnd":true}') : undefined,
  });
};

/** The lines of all logs, and the spans, in which a token stands in any spelling; half of it counts. */
async function tracesOf(token: string): Promise<string[]> {
  const encoded = Array.from(Buffer.from(token), byte => `%${byte.toString(16)}`).join('');
  const spellings = [token, encoded].flatMap(text => spellingsOf(text.slice(-24)));
  const has = (text: string) => spellings.some(spelling => text.includes(spelling));
  const lines = (await readLogs()).filter(({ line }) => has(line)).map(({ file, line }) => `${file}: ${line}`);
  const attributes = collector.received.flatMap(({ body }) => body.split('},{'));
  return [...lines, ...attributes.filter(has)];
}

/** Waits until logs and traces have a last request, and so every one before. */
async function waitForLast(): Promise<void> {
  const marker = `s9-${randomBytes(6).toString('hex')}`;
  for (const url of [inject('gatewayUrl'), traced.url])
    await fetch(`${url}/${marker}`, { headers: { 'x-request-id': marker } });
  await waitFor(async () => (await readLogs()).some(({ line }) => line.includes(marker)), {
    what: 'the last log line',
  });
  await waitFor(() => collector.received.some(({ body }) => body.includes(marker)), {
    what: 'the last span',
  });
}

describe('a portal token', () => {
  it('S9: every response to a link forbids caches, referrers and search engines to keep it', async () => {
    const token = await newToken();
    // The gateway itself refuses DELETE; its error is no page.
    for (const [method, path] of uses(token).filter(([name]) => name !== 'DELETE')) {
      const { headers, status } = await fetchFrom(inject('gatewayUrl'), method, path);
      expect({ path, status, ...headers }).toMatchObject({ 'cache-control': 'no-store' });
      expect({ path, status, ...headers }).toMatchObject({
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
      });
      expect(headers).not.toHaveProperty('etag');
      expect(headers).not.toHaveProperty('last-modified');
    }
  });

  it('S9: no log of any process and no trace has the token of a link that was used in every way', async () => {
    const token = await newToken();
    for (const url of [inject('gatewayUrl'), traced.url])
      for (const [method, path] of uses(token)) await fetchFrom(url, method, path);
    await waitForLast();
    expect(await tracesOf(token)).toEqual([]);
    expect((await readLogs()).some(({ line }) => line.includes('/portal/:token'))).toBe(true);
  });

  it('S9: no log and no trace has the token of a link that is garbled: in another case, encoded, doubled, in a query or in the wrong place', async () => {
    const token = await newToken();
    for (const url of [inject('gatewayUrl'), traced.url])
      for (const path of oddPaths(token)) {
        const { text, headers, status } = await fetchFrom(url, 'GET', path);
        // Only the page of a working link has its token.
        const said = JSON.stringify(status === 200 ? headers : [headers, text]);
        expect(said, path).not.toContain(token);
      }
    await waitForLast();
    expect(await tracesOf(token)).toEqual([]);
  });

  it('S9: the processor never gets the token, also not in an address to return to', async () => {
    const token = await newToken();
    const { text } = await fetchFrom(inject('gatewayUrl'), 'POST', `/api/portal/${token}/setup-intent`);
    expect(text).toContain('"url"');
    expect(text).not.toContain(token);
    const files = ['processor.sqlite', 'processor.sqlite-wal'];
    const stored = await Promise.all(
      files.map(file => readFile(join(inject('dataDir'), file), 'latin1').catch(() => '')),
    );
    expect(stored.join('')).toContain(`${inject('gatewayUrl')}/portal/return/`);
    expect(stored.join('')).not.toContain(token);
  });
});
