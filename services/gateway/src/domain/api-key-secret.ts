import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PATTERN = /^bil_(?:test|live)_[0-9A-Za-z]{38}$/;
/** Of these 32 are needed, and only one in 32 is thrown away. */
const DERIVED_BYTES = 128;

/** What a key is for: trying things out, or real money. */
export const KEY_MODES = ['test', 'live'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** A secret as it is given out once: `bil_<mode>_<32 base62 characters><CRC32 in 6 base62 digits>`; 190 random bits. */
export const createSecret = (mode: KeyMode): string => secretWith(mode, randomBase62());

/** The key for secrets that can be made again, from what signs the session cookies; neither tells the other. */
export const secretKeyFrom = (authSecret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', authSecret, '', 'api-key-secrets', 32));

/** The secret of one operation, the same whenever it is repeated: as good as random for whoever lacks the 32-byte key. */
export function secretOfOperation(mode: KeyMode, secretKey: Buffer, operationKey: string): string {
  return secretWith(mode, base62From(new Uint8Array(hkdfSync('sha256', secretKey, '', operationKey, DERIVED_BYTES))));
}

/** What every secret of a mode starts with; it may be shown. */
export const prefixOf = (mode: KeyMode): string => `bil_${mode}_`;

/** Whether a text can be a secret at all: a mistyped one is told apart without rpc the database. */
export function isWellFormed(secret: string): boolean {
  return (
    PATTERN.test(secret) &&
    secret.slice(-CHECKSUM_LENGTH) === checksum(secret.slice(0, secret.length - CHECKSUM_LENGTH))
  );
}

/** SHA-256 in hex. Secrets are random and long, so no salt and no slow hash is needed. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

function secretWith(mode: KeyMode, random: string): string {
  const unchecked = `${prefixOf(mode)}${random}`;
  return unchecked + checksum(unchecked);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomBase62(): string {
  let text = '';
  while (text.length < RANDOM_LENGTH) text += base62From(randomBytes(RANDOM_LENGTH));
  return text.slice(0, RANDOM_LENGTH);
}

/** Bytes past the last whole multiple of 62 are thrown away, so that every character is equally likely. */
function base62From(bytes: Uint8Array): string {
  return Array.from(bytes)
    .filter(byte => byte < 248)
    .map(byte => BASE62.charAt(byte % 62))
    .join('')
    .slice(0, RANDOM_LENGTH);
}
