import { randomBytes } from 'node:crypto';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { send } from '../system/hostile/send.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, requestTo } from '../system/operations/requests.ts';
import { newResources, type Resources } from '../system/operations/resources.ts';

let tenant: Tenant;
let resources: Resources & { readonly token: string };
/** Every secret of the tenant, each without its last four characters, which may be shown. */
let secrets: readonly string[];
beforeAll(async () => {
  tenant = await newTenant();
  resources = await newResources(tenant);
  const { secret, secretKey, webhookSecret, credentials, user } = tenant;
  const cookie = user.cookie.split('=')[1] ?? '';
  const session = decodeURIComponent(cookie).split('.')[0] ?? '';
  const whole = [secret, secretKey, webhookSecret, credentials.password, cookie, session, resources.token];
  secrets = whole.map(text => text.slice(0, -4));
});

const leaksIn = (text: string): string[] => secrets.filter(secret => text.includes(secret));

describe('a secret', () => {
  it('S25: no response of any operation has a key, signing secret, password, session or portal token, neither in its body nor its headers', async () => {
    // Deletions last: they would leave nothing to read.
    const operations = allOperations.filter(({ access, method }) => access.kind !== 'signature' && method !== 'DELETE');
    const seen = await mapConcurrently(operations, async operation => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      const response = await callerOf(operation, tenant).send(
        method,
        path,
        operation.id === 'connectProcessor' ? {} : body,
      );
      const { 'set-cookie': cookie = '', ...headers } = Object.fromEntries(response.headers);
      // The browser that leaves for the processor keeps the token of its own link.
      const returning = cookie.startsWith('portal_return=') ? '' : cookie;
      return { id: operation.id, text: JSON.stringify([response.body, headers, returning]) };
    });
    expect(seen.flatMap(({ id, text }) => leaksIn(text).map(secret => ({ id, secret })))).toEqual([]);
  });

  it('S25: connecting answers with the last four characters of the key, and nothing more of the credentials, also when it fails', async () => {
    const { user, teamPath, secretKey, webhookSecret } = tenant;
    const connect = (body: object) => user.post(`${teamPath}/processor/connect`, body);
    const { processor } = await ok(connect({ secretKey, publishableKey: 'pk_test_shown', webhookSecret }));
    expect(processor.secretKeyLast4).toBe(secretKey.slice(-4));
    expect(Object.keys(processor).toSorted()).toEqual([
      'accountId',
      'apiVersion',
      'connected',
      'connectedAt',
      'livemode',
      'publishableKey',
      'secretKeyLast4',
      'updatedAt',
      'webhookUrl',
    ]);
    const mark = randomBytes(12).toString('hex');
    const failing = [
      { secretKey: `sk_test_invalid_${mark}` },
      { secretKey: `xx_${mark}` },
      { secretKey: `sk_test_${mark} ${mark}` },
      { secretKey: { [mark]: mark } },
      { secretKey, webhookSecret: mark },
      { secretKey, additionalWebhookSecrets: [mark] },
      { secretKey: `sk_test_${mark}`, publishableKey: `pk_live_${mark}` },
      { secretKey: `sk_test_${mark}${'a'.repeat(300)}` },
    ];
    for (const body of failing) {
      const { status, body: response } = await connect(body);
      expect(status).toBe(400);
      expect(JSON.stringify(response)).not.toContain(mark);
      expect(leaksIn(JSON.stringify(response))).toEqual([]);
    }
  });

  it('S25: a secret in the wrong place is not repeated by the error', async () => {
    const { secret, secretKey, P } = tenant;
    const url = inject('gatewayUrl');
    const json = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
    const wrong = await Promise.all([
      new Caller({ authorization: `Bearer ${secret}x` }).get(`${P}/customers`),
      tenant.api.get(`${P}/customers?key=${secretKey}`),
      tenant.api.get(`${P}/customers/${secretKey}`),
      tenant.api.get(`${P}/${secretKey}`),
      tenant.api.post(`${P}/customers`, { email: secretKey, [secret]: secret, name: [secret] }),
      tenant.api.post(`${P}/customers`, {}, { 'idempotency-key': secret.repeat(8) }),
      new Caller().post('/api/auth/sign-in/email', { email: 'a@b.co', password: secretKey }),
    ]);
    const raw = await Promise.all(
      [`{"email":"${secretKey}`, secret, `{"a":${secretKey}}`].map(text =>
        send(url, { method: 'POST', path: `${P}/customers`, headers: json, body: Buffer.from(text) }),
      ),
    );
    for (const { status } of [...wrong, ...raw]) expect(status).toBeOneOf([400, 401, 404]);
    // A field's own name is told back to whoever sent it; its value is not.
    const texts = [
      ...wrong.map(({ body }) => JSON.stringify(body).replaceAll(`"path":"${secret}"`, '')),
      ...raw.map(({ text }) => text),
    ];
    expect(texts.flatMap(leaksIn)).toEqual([]);
  });
});
