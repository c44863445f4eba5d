/** Thirty-two letters and digits without look-alikes (0 and O, 1 and I), so that each is equally likely. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;

/** Returns a random referral code: eight letters and digits, 40 random bits. */
export function generateCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  return Array.from(bytes, byte => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
