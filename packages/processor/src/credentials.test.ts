import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seal, sealedPrefix, unseal } from './credentials.ts';
import { formatKeyRing, keyRingOf, openKeyRing, parseKeyRing } from './key-ring.ts';

const key = randomBytes(32);
const ring = keyRingOf(key);
const next = { current: 2, keys: new Map([...ring.keys, [2, randomBytes(32)] as const]) };
const boundTo = { teamId: 'team_1', kind: 'secret-key' } as const;

it('opens what it sealed, and seals a secret differently each time', () => {
  const [first, second] = [seal(ring, boundTo, 'sk_test_1'), seal(ring, boundTo, 'sk_test_1')];
  expect(unseal(ring, boundTo, first)).toBe('sk_test_1');
  expect(first.split('.')[2]).not.toBe(second.split('.')[2]);
  expect(first.split('.')[3]).not.toBe(second.split('.')[3]);
  expect(first).not.toContain('sk_test_1');
});

it('rejects another team, another purpose and another key', () => {
  const sealed = seal(ring, boundTo, 'sk_test_1');
  const kinds = ['webhook-secret', 'secret-key-for-portal', 'secret-key-for-webhooks'] as const;
  expect(() => unseal(ring, { ...boundTo, teamId: 'team_2' }, sealed)).toThrow(/unable to authenticate/i);
  for (const kind of kinds) expect(() => unseal(ring, { ...boundTo, kind }, sealed)).toThrow(/unable to authenticate/i);
  expect(() => unseal(keyRingOf(randomBytes(32)), boundTo, sealed)).toThrow(/unable to authenticate/i);
});

it('rejects a text with any single byte changed, cut off or exchanged', () => {
  const sealed = seal(ring, boundTo, 'sk_test_1');
  const other = seal(ring, boundTo, 'sk_test_2').split('.');
  const parts = sealed.split('.');
  for (const at of [2, 3]) {
    const bytes = Buffer.from(parts[at] ?? '', 'base64url');
    const withPart = (part: Buffer) => parts.with(at, part.toString('base64url')).join('.');
    for (let index = 0; index < bytes.length; index += 1) {
      const tampered = Buffer.from(bytes);
      tampered.writeUInt8(tampered.readUInt8(index) ^ 1, index);
      expect(() => unseal(ring, boundTo, withPart(tampered))).toThrow(/unable to authenticate/i);
      expect(() => unseal(ring, boundTo, withPart(bytes.subarray(0, index)))).toThrow(/authenticate|incomplete/i);
    }
    expect(() => unseal(ring, boundTo, parts.with(at, other[at] ?? '').join('.'))).toThrow(/unable to authenticate/i);
  }
  for (const text of ['', 'v1', 'v3.1.a.b', `${sealed}.x`, 'v1.1.a', 'plain text'])
    expect(() => unseal(ring, boundTo, text)).toThrow(/sealed secret/i);
});

it('opens secrets of every known version, and seals with the current one', () => {
  const old = seal(ring, boundTo, 'sk_test_1');
  const renewed = seal(next, boundTo, 'sk_test_1');
  expect(old.startsWith(sealedPrefix(1))).toBe(true);
  expect(renewed.startsWith(sealedPrefix(2))).toBe(true);
  for (const sealed of [old, renewed]) expect(unseal(next, boundTo, sealed)).toBe('sk_test_1');
  expect(() => unseal(ring, boundTo, renewed)).toThrow('the master key of version 2, which is not known');
  // The version is bound too: a text cannot be given to an older key.
  expect(() => unseal(next, boundTo, renewed.replace('v1.2.', 'v1.1.'))).toThrow(/unable to authenticate/i);
});

it('reads keys with their versions, the current one first', () => {
  const read = parseKeyRing(formatKeyRing(next));
  expect(read).toEqual(next);
  const one = key.toString('base64');
  expect(parseKeyRing(`7:${one},1:${one}`).current).toBe(7);
  for (const wrong of ['', one, `1:${one},1:${one}`, '1:c2hvcnQ=', `x:${one}`, `1:${one};2:${one}`])
    expect(() => parseKeyRing(wrong)).toThrow(/^Expected/);
});

it('reads a file of keys again when it has changed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'billing-keys-'));
  const file = join(folder, 'keys');
  writeFileSync(file, formatKeyRing(ring));
  const open = openKeyRing(`file:${file}`);
  expect(open().current).toBe(1);
  writeFileSync(file, formatKeyRing(next));
  utimesSync(file, new Date(), new Date(Date.now() + 5_000));
  expect(open().current).toBe(2);
  rmSync(folder, { recursive: true });
});
