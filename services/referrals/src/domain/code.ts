/** Letters and digits that are not taken for one another: no 0 and O, no 1 and I. Thirty-two, so that no one is likelier. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;

/** A referral code of 40 random bits: eight letters and digits. */
export function createCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  return Array.from(bytes, byte => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
