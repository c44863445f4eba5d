import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a new id in Stripe's format: the prefix, then `length` letters and digits. */
export function newId(prefix: string, length = 24): string {
  let id = prefix;
  while (id.length < prefix.length + length) {
    for (const byte of randomBytes(length + 8)) {
      // Bytes from 248 on would make the first letters more likely.
      if (byte < 248 && id.length < prefix.length + length) id += ALPHABET[byte % 62];
    }
  }
  return id;
}

/** Returns the account id of a secret key. It depends only on the key, so it survives restarts. */
export function accountId(secretKey: string): string {
  const digest = createHash('sha256').update(secretKey).digest();
  return `acct_1${[...digest.subarray(0, 15)].map(byte => ALPHABET[byte % 62]).join('')}`;
}
