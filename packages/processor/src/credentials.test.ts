import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { seal, unseal } from './credentials.ts';

const key = randomBytes(32);
const boundTo = { teamId: 'team_1', kind: 'secret-key' } as const;

it('decrypts what it encrypted, and encrypts a secret differently each time', () => {
  const [first, second] = [seal(key, boundTo, 'sk_test_1'), seal(key, boundTo, 'sk_test_1')];
  expect(unseal(key, boundTo, first)).toBe('sk_test_1');
  expect(first).not.toBe(second);
  expect(first).not.toContain('sk_test_1');
});

it('rejects another team, another kind and another key', () => {
  const sealed = seal(key, boundTo, 'sk_test_1');
  expect(() => unseal(key, { ...boundTo, teamId: 'team_2' }, sealed)).toThrow(/unable to authenticate/i);
  expect(() => unseal(key, { ...boundTo, kind: 'webhook-secret' }, sealed)).toThrow(/unable to authenticate/i);
  expect(() => unseal(randomBytes(32), boundTo, sealed)).toThrow(/unable to authenticate/i);
});

it('rejects a text with any single byte changed', () => {
  const sealed = seal(key, boundTo, 'sk_test_1');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const tampered = Buffer.from(bytes);
    tampered.writeUInt8(tampered.readUInt8(index) ^ 1, index);
    expect(() => unseal(key, boundTo, `v1.${tampered.toString('base64url')}`)).toThrow(/unable to authenticate/i);
  }
});
