import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endpointKey, newEndpointSecret, signedHeaders } from './sent-signature.rules.ts';

it('signs as the example of Standard Webhooks', () => {
  const key = endpointKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const at = new Date(1_614_265_330_000);
  const body = Buffer.from('{"test": 2432232314}');
  if (!key) throw new Error('The secret is one.');
  expect(signedHeaders([key], { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body })).toEqual({
    'content-type': 'application/json',
    accept: '*/*',
    'user-agent': 'Billing-Webhooks/1',
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('signs with each key, the newest first', () => {
  const [newer, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sent = { id: 'ev_1', at: new Date(0), body: Buffer.from('{}') };
  const of = (keys: Buffer[]) => signedHeaders(keys, sent)['webhook-signature'];
  expect(of([newer, older])).toBe(`${of([newer])} ${of([older])}`);
});

it('makes secrets of 32 bytes that are their own keys', () => {
  const secret = newEndpointSecret();
  expect(endpointKey(secret)).toHaveLength(32);
  expect(newEndpointSecret()).not.toBe(secret);
});

it('takes strict base64 of 24 to 64 bytes, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 72 }), bytes => {
      const key = endpointKey(`whsec_${Buffer.from(bytes).toString('base64')}`);
      expect(key && new Uint8Array(key)).toEqual(bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined);
    }),
    { numRuns: runs(1_000) },
  );
  const good = Buffer.alloc(24, 250).toString('base64');
  for (const text of [
    good,
    `whsec_ ${good}`,
    `whsec_${good}\n`,
    `whsec_${good}=`,
    `whsec_${good.replaceAll('+', '-')}`,
  ])
    expect(endpointKey(text)).toBeUndefined();
});
