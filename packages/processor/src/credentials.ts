import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ServiceName } from '@billing/contracts/operation';
import type { KeyRing } from './key-ring.ts';

/** What a sealed text is bound to: it opens for this team and purpose only. */
export interface SealedFor {
  readonly teamId: string;
  /** As stored, or `for-…` on its way to the service that may open it. */
  readonly kind: 'secret-key' | 'webhook-secret' | `endpoint-secret-${string}` | `secret-key-for-${ServiceName}`;
}

const FORMAT = 'v1';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals a secret: AES-256-GCM under a key of its own, which is sealed under the current master key for this purpose. Both are
 * bound to team, purpose and the version of the master key. The result is printable text.
 */
export function seal({ current, keys }: KeyRing, boundTo: SealedFor, secret: string): string {
  const dataKey = randomBytes(KEY_BYTES);
  const bound = additionalData(current, boundTo);
  const wrapped = encrypt(wrappingKey(masterKey(keys, current), boundTo), bound, dataKey);
  const sealed = encrypt(dataKey, bound, Buffer.from(secret, 'utf8'));
  return [FORMAT, current, wrapped.toString('base64url'), sealed.toString('base64url')].join('.');
}

/**
 * Opens what `seal` sealed.
 * @throws Error for an unknown master key, a text that was changed, or one of another team or purpose
 */
export function unseal({ keys }: KeyRing, boundTo: SealedFor, text: string): string {
  const [format, version, wrapped, sealed, ...more] = text.split('.');
  if (format !== FORMAT || sealed === undefined || more.length > 0)
    throw new Error('A sealed secret has an unknown format.');
  const bound = additionalData(Number(version), boundTo);
  const dataKey = decrypt(wrappingKey(masterKey(keys, Number(version)), boundTo), bound, fromText(wrapped));
  return decrypt(dataKey, bound, fromText(sealed)).toString('utf8');
}

/** The beginning of everything that is sealed in the current format with a version of the master key. */
export const sealedPrefix = (version: number): string => `${FORMAT}.${version}.`;

function masterKey(keys: KeyRing['keys'], version: number): Buffer {
  const key = keys.get(version);
  if (!key) throw new Error(`A sealed secret needs the master key of version ${version}, which is not known.`);
  return key;
}

/** A key for each purpose, so that what is sealed for one says nothing about another. */
const wrappingKey = (key: Buffer, { kind }: SealedFor): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `billing sealed ${kind}`, KEY_BYTES));

function encrypt(key: Buffer, bound: Buffer, plain: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function decrypt(key: Buffer, bound: Buffer, bytes: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(bound)
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}

function fromText(encoded: string | undefined): Buffer {
  const bytes = Buffer.from(encoded ?? '', 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) throw new Error('A sealed secret is incomplete.');
  return bytes;
}

const additionalData = (version: number, { teamId, kind }: SealedFor): Buffer =>
  Buffer.from(`${FORMAT}:${version}:${teamId}:${kind}`, 'utf8');
