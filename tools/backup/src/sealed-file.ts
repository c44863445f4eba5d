import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const sealed = z.object({ format: z.literal(1), salt: z.base64(), iv: z.base64(), tag: z.base64(), data: z.base64() });

const SHORTEST = 12;
/** A guess costs 128 MiB and a good part of a second. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

const keyOf = (passphrase: string, salt: Buffer): Buffer => scryptSync(passphrase, salt, 32, COST);

/**
 * Encrypts a text with a passphrase: AES-256-GCM, the key by scrypt.
 * @throws StartError when the passphrase is too short
 */
export function seal(text: string, passphrase: string): string {
  if (passphrase.length < SHORTEST) throw new StartError(`BACKUP_PASSPHRASE needs at least ${SHORTEST} characters.`);
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), iv);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = Object.entries({ salt, iv, tag: cipher.getAuthTag(), data });
  return JSON.stringify({
    format: 1,
    ...Object.fromEntries(parts.map(([name, bytes]) => [name, bytes.toString('base64')])),
  });
}

/** @throws StartError when the passphrase is another one, or the text was changed */
export function unseal(text: string, passphrase: string): string {
  try {
    const { salt, iv, tag, data } = sealed.parse(JSON.parse(text));
    const bytes = (encoded: string) => Buffer.from(encoded, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, bytes(salt)), bytes(iv), { authTagLength: 16 });
    decipher.setAuthTag(bytes(tag));
    return Buffer.concat([decipher.update(bytes(data)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new StartError('BACKUP_PASSPHRASE does not open the secrets of this backup.', { cause });
  }
}
