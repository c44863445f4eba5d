import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What a sealed text is bound to: it can be decrypted for this team and kind only. */
export interface SealedFor {
  readonly teamId: string;
  readonly kind: 'secret-key' | 'webhook-secret';
}

const FORMAT = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a secret with AES-256-GCM, bound to its team and kind. `key` is 32 bytes; the result is printable text. */
export function seal(key: Buffer, boundTo: SealedFor, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additionalData(boundTo));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `${FORMAT}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/**
 * Decrypts what `seal` encrypted.
 * @throws Error for another key, a text that was changed, or one of another team or kind
 */
export function unseal(key: Buffer, boundTo: SealedFor, sealed: string): string {
  const [format, encoded] = sealed.split('.');
  if (format !== FORMAT || !encoded) throw new Error('A sealed secret has an unknown format.');
  const bytes = Buffer.from(encoded, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(additionalData(boundTo))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

function additionalData({ teamId, kind }: SealedFor): Buffer {
  return Buffer.from(`${FORMAT}:${teamId}:${kind}`, 'utf8');
}
