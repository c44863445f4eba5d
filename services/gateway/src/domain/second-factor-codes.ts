import { randomInt } from 'node:crypto';

/** Small letters and digits, without those that look alike. */
const CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODES = 10;
const HALF = 5;

/** Returns ten new backup codes in two halves, each of about 50 random bits. */
export const newBackupCodes = (): string[] =>
  Array.from({ length: CODES }, () => {
    const code = Array.from({ length: 2 * HALF }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
    return `${code.slice(0, HALF)}-${code.slice(HALF)}`;
  });

/** Returns a code as it was given out: people write spaces, dashes and capitals of their own. */
export function asGivenOut(kind: 'totp' | 'backup', typed: string): string {
  const code = typed.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return kind === 'totp' ? code : `${code.slice(0, HALF)}-${code.slice(HALF)}`;
}
