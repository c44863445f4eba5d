import { hash, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { conflict } from '@billing/contracts/problem';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PATTERN = /^bil_(?:test|live)_[0-9A-Za-z]{38}$/;
/** 32 are needed; one byte in 32 is discarded. */
const DERIVED_BYTES = 128;

/** Whether a key is for tests or for real money. */
export const KEY_MODES = ['test', 'live'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** The parts of a secret that may be shown again. */
interface VisibleParts {
  readonly prefix: string;
  readonly last4: string;
}

/** Issues the secrets of API keys. */
export interface KeySecrets {
  /** Returns a random secret; with an operation key, the secret derived from it, which need not be stored. */
  readonly issue: (mode: KeyMode, operationKey: string | undefined) => string;
  /**
   * Derives the secret that an operation issued once more; `visible` is what the API showed of it.
   * @throws Problem 409 `secret_not_repeatable` when `derivationKey` has changed since
   */
  readonly reissue: (operationKey: string, visible: VisibleParts) => string;
}

/** Issues secrets; `derivationKey` is 32 bytes long. */
export function createKeySecrets(derivationKey: Buffer): KeySecrets {
  return {
    issue: (mode, operationKey) =>
      operationKey === undefined ? randomSecret(mode) : derivedSecret(mode, derivationKey, operationKey),
    reissue(operationKey, { prefix, last4 }) {
      const secret = derivedSecret(modeOf(prefix), derivationKey, operationKey);
      // The last characters are part of the checksum of the whole secret.
      if (secret.endsWith(last4)) return secret;
      throw conflict('secret_not_repeatable', 'The secret of this key cannot be shown again; rotate the key.');
    },
  };
}

/** Returns the mode of a secret, or of its prefix. */
export const modeOf = (secret: string): KeyMode => (secret.startsWith(prefixOf('live')) ? 'live' : 'test');

/** Returns the mode of a team's new keys: that of its processor account, or the installation's before there is one. */
export const modeOfNewKeys = (accountLivemode: boolean | null, installation: KeyMode): KeyMode => {
  if (accountLivemode === null) return installation;
  return accountLivemode ? 'live' : 'test';
};

/** Returns a new secret, `bil_<mode>_<32 base62 characters><CRC32 as 6 base62 digits>`, with 190 random bits. */
export const randomSecret = (mode: KeyMode): string => secretWith(mode, randomBase62());

/** Derives a key for one purpose from the secret that signs session cookies; none reveals another. */
export const derivationKeyFrom = (authSecret: string, purpose: 'api-key-secrets' | 'invitation-tokens'): Buffer =>
  Buffer.from(hkdfSync('sha256', authSecret, '', purpose, 32));

/** Returns the secret of one operation: the same each time, and unpredictable without the 32-byte `derivationKey`. */
export function derivedSecret(mode: KeyMode, derivationKey: Buffer, operationKey: string): string {
  const bytes = new Uint8Array(hkdfSync('sha256', derivationKey, '', operationKey, DERIVED_BYTES));
  return secretWith(mode, base62From(bytes));
}

/** Returns whether a text has the form and checksum of a secret, so that a mistyped one needs no database query. */
export function isWellFormed(secret: string): boolean {
  return (
    PATTERN.test(secret) &&
    secret.slice(-CHECKSUM_LENGTH) === checksum(secret.slice(0, secret.length - CHECKSUM_LENGTH))
  );
}

/** Returns what is stored of a secret: its hash and the parts that may be shown. */
export const storedParts = (secret: string): VisibleParts & { readonly secretHash: string } => ({
  secretHash: hashSecret(secret),
  prefix: secret.slice(0, prefixOf('test').length),
  last4: secret.slice(-4),
});

/** Returns the SHA-256 in hex. Secrets are random and long, so they need no salt and no slow hash. */
export const hashSecret = (secret: string): string => hash('sha256', secret);

const prefixOf = (mode: KeyMode): string => `bil_${mode}_`;

function secretWith(mode: KeyMode, random: string): string {
  const unchecked = `${prefixOf(mode)}${random}`;
  return unchecked + checksum(unchecked);
}

function checksum(text: string): string {
  let remaining = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(remaining % 62) + digits;
    remaining = Math.floor(remaining / 62);
  }
  return digits;
}

function randomBase62(): string {
  let text = '';
  while (text.length < RANDOM_LENGTH) text += base62From(randomBytes(RANDOM_LENGTH));
  return text.slice(0, RANDOM_LENGTH);
}

/** Discards bytes past the last whole multiple of 62, so that every character is equally likely. */
function base62From(bytes: Uint8Array): string {
  return Array.from(bytes)
    .filter(byte => byte < 248)
    .map(byte => BASE62.charAt(byte % 62))
    .join('')
    .slice(0, RANDOM_LENGTH);
}
