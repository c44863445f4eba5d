import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { seenBy } from './requests.ts';

/** Within this time after the response a change must hold everywhere, in milliseconds. */
const WITHIN_MS = 1_000;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** Returns a key that works, and when it expires. */
async function newExpiringKey() {
  for (let seconds = 4; ; seconds *= 2) {
    const expiresAt = new Date(Date.now() + seconds * 1_000);
    const { caller } = await newKey(expiresAt);
    // On a busy machine it may have expired by now.
    if ((await caller.get(`${tenant.P}/customers?limit=1`)).status === 200) return { caller, expiresAt };
  }
}

async function newKey(expiresAt?: Date) {
  const body = { name: 'x', scopes: ['customers:read'], ...(expiresAt && { expiresAt }) };
  const { apiKey, secret } = await ok(tenant.user.post(`${tenant.P}/api-keys`, body), 201);
  return { id: apiKey.id as string, secret: secret as string, caller: callerWith(secret) };
}

const callerWith = (secret: string) => new Caller({ authorization: `Bearer ${secret}` });

interface Sent {
  readonly sentAt: number;
  readonly status: number;
}

/** Sends requests with a key, several at a time, until `isOver`; returns the times and status of each so far. */
function load(caller: Caller, isOver: (sent: readonly Sent[]) => boolean) {
  const sent: Sent[] = [];
  const send = async () => {
    while (!isOver(sent)) {
      const sentAt = Date.now();
      const { status } = await caller.get(`${tenant.P}/customers?limit=1`);
      sent.push({ sentAt, status });
    }
  };
  return { sent, done: Promise.all([send(), send(), send(), send()]) };
}

/** Loads a key, ends it by `end`, and returns the statuses before that and from a second after it. */
async function statusesAround(caller: Caller, end: () => Promise<unknown>) {
  let endedAt = Infinity;
  const isLate = ({ sentAt }: Sent) => sentAt > endedAt + WITHIN_MS;
  const { sent, done } = load(caller, all => all.filter(isLate).length > 20);
  await waitFor(() => sent.length > 0, { what: 'the key to be used' });
  const statuses = (requests: readonly Sent[]) => new Set(requests.map(({ status }) => status));
  const before = statuses(sent);
  await end();
  endedAt = Date.now();
  await done;
  return { before, after: statuses(sent.filter(isLate)) };
}

describe('a key that ended', () => {
  it('S4: a key under load that is revoked, rotated or expires is refused within a second, every time from then on', async () => {
    const { user, P } = tenant;
    const [revoked, rotated] = await Promise.all([newKey(), newKey()]);
    const { caller, expiresAt } = await newExpiringKey();
    const around = await Promise.all([
      statusesAround(revoked.caller, () => ok(user.delete(`${P}/api-keys/${revoked.id}`))),
      statusesAround(rotated.caller, () => ok(user.post(`${P}/api-keys/${rotated.id}/rotate`, { overlapMs: 0 }), 201)),
      statusesAround(caller, () => delay(expiresAt.getTime() - Date.now())),
    ]);
    for (const { before, after } of around) {
      expect(before).toEqual(new Set([200]));
      expect(after).toEqual(new Set([401]));
    }
  });

  it('S4: missing, malformed, unknown, foreign-mode, revoked and once-rotated keys get one and the same 401', async () => {
    const { user, P, secret } = tenant;
    const [revoked, rotated] = await Promise.all([newKey(), newKey()]);
    await ok(user.delete(`${P}/api-keys/${revoked.id}`));
    await ok(user.post(`${P}/api-keys/${rotated.id}/rotate`, {}), 201);
    const flipped = secret.replace(/[a-z](?=[^a-z]*$)/, letter => letter.toUpperCase());
    const dead = [
      revoked.secret,
      rotated.secret,
      flipped,
      secret.slice(0, -1),
      `${secret}0`,
      secret.replace('_test_', '_live_'),
      'x',
      'bil_test_',
      `bil_test_${'0'.repeat(38)}`,
      'sk_test_123',
      'null',
      'undefined',
      '*',
      'a'.repeat(256),
    ].map(value => ({ authorization: `Bearer ${value}` }));
    const odd = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer  ' },
      { authorization: secret },
      { authorization: `Basic ${btoa(`${secret}:`)}` },
      { authorization: `Bearer ${secret}, Bearer ${secret}` },
      { authorization: `Token ${secret}` },
      { 'x-api-key': secret },
      { cookie: `authorization=Bearer ${secret}` },
    ];
    const request = { method: 'GET', path: `${P}/customers` } as const;
    const [first, ...rest] = await Promise.all(
      [...dead, ...odd].map(headers => seenBy(new Caller(headers as Record<string, string>), request)),
    );
    expect(first).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'x-request-id': 'the-same' },
      body: { error: { code: 'unauthorized', requestId: 'the-same' } },
    });
    expect(first?.body).not.toHaveProperty('error.details');
    for (const seen of rest) expect(seen).toEqual(first);
    const inQuery = await seenBy(new Caller(), {
      ...request,
      path: `${request.path}?api_key=${secret}&token=${secret}`,
    });
    expect(inQuery).toEqual(first);
  });

  it('S4: a revoked key can’t be rotated back to life, nor used for another project', async () => {
    const { user, P } = tenant;
    const { id, caller } = await newKey();
    await ok(user.delete(`${P}/api-keys/${id}`));
    expect(await user.post(`${P}/api-keys/${id}/rotate`, {})).toMatchObject({ status: 404 });
    expect((await ok(user.get(`${P}/api-keys`))).apiKeys.map((key: { id: string }) => key.id)).not.toContain(id);
    expect((await caller.get(`${P}/customers`)).status).toBe(401);
    expect((await caller.get(`${P.replace(/.$/, '0')}/customers`)).status).toBe(401);
  });
});
