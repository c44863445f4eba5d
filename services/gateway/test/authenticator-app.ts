import { createHmac } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

/**
 * Returns the code that an authenticator app shows, or will show after so many half minutes: one of those around now is
 * accepted as well. RFC 6238: https://www.rfc-editor.org/rfc/rfc6238
 */
export function codeOf(totpUri: string, later = 0): string {
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const bits = Array.from(secret, letter => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + later));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  return `${(digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000}`.padStart(6, '0');
}
