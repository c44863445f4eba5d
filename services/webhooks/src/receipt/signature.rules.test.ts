import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSignature, isTimely } from './signature.rules.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const SECONDS = NOW.getTime() / 1_000;
const body = Buffer.from('{"id":"evt_1"}');
const signatureOf = (secret: string, of = body, seconds = SECONDS) =>
  createHmac('sha256', secret).update(`${seconds}.`).update(of).digest('hex');
const ageOf = (secrets: readonly string[], ...signed: [body: Buffer, header: string, now: Date]) =>
  findSignature(
    secrets.map(secret => ({ secret })),
    ...signed,
  )?.ageSeconds;

it('tells which secret signed', () => {
  const header = `t=${SECONDS},v1=${signatureOf('b')}`;
  const secrets = ['a', 'b', 'c'].map(secret => ({ secret }));
  expect(findSignature(secrets, body, header, NOW)?.by).toBe(secrets[1]);
});

it('accepts any of several secrets and any of several signatures', () => {
  const header = `t=${SECONDS},v1=${'0'.repeat(64)},v1=${signatureOf('b')}`;
  expect(ageOf(['a', 'b', 'c'], body, header, NOW)).toBe(0);
  expect(ageOf(['a', 'c'], body, header, NOW)).toBeUndefined();
  expect(ageOf([], body, header, NOW)).toBeUndefined();
});

it.each([
  ['no scheme v1', `t=${SECONDS},v0=${signatureOf('a')}`],
  ['no time', `v1=${signatureOf('a')}`],
  ['a time that is none', `t=now,v1=${signatureOf('a')}`],
  ['a time with a fraction', `t=${SECONDS}.0,v1=${signatureOf('a')}`],
  ['upper case', `t=${SECONDS},v1=${signatureOf('a').toUpperCase()}`],
  ['a cut', `t=${SECONDS},v1=${signatureOf('a').slice(0, 62)}`],
])('refuses a header with %s', (_what, header) => {
  expect(ageOf(['a'], body, header, NOW)).toBeUndefined();
});

it('refuses any body but the one that was signed', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, change) => {
      const signed = Buffer.from(bytes);
      const header = `t=${SECONDS},v1=${signatureOf('a', signed)}`;
      expect(ageOf(['a'], signed, header, NOW)).toBe(0);
      const other = Buffer.concat([signed, Buffer.from([0])]);
      other.writeUInt8(other.readUInt8(at % other.length) ^ change, at % other.length);
      expect(ageOf(['a'], other, header, NOW)).toBeUndefined();
    }),
  );
});

it.each([
  [-301, false],
  [-300, true],
  [0, true],
  [300, true],
  [301, false],
])('takes a signature that is %i seconds old for timely: %s', (age, timely) => {
  const seconds = SECONDS - age;
  const header = `t=${seconds},v1=${signatureOf('a', body, seconds)}`;
  expect(ageOf(['a'], body, header, NOW)).toBe(age);
  expect(isTimely(age)).toBe(timely);
});
