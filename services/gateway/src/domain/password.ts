import { Problem } from '@billing/contracts/problem';
import { dictionary } from '@zxcvbn-ts/language-common';

/** The shortest and the longest password, in characters. */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;

/** About 50,000 passwords that are the most frequent in published breaches, in lower case. */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** How many digits and signs after a common password leave it common: `Baseball2026!`. */
const MAX_SUFFIX = 6;

/** A person's own words, which an attacker tries first. */
interface Person {
  readonly email?: string;
  readonly name?: string;
}

/**
 * Requires that a password is not among the first that an attacker tries: a common one, or made of the person's e-mail
 * address or name, also with digits and signs after it, or one short part repeated.
 * @throws Problem 400 `password_too_common`
 */
export function requireUncommonPassword(password: string, person: Person = {}): void {
  // better-auth refuses it by its length.
  if (password.length < PASSWORD_LENGTH.min) return;
  const lower = password.toLowerCase();
  const word = lower.replace(/[^\p{L}]+$/u, '');
  const isCommonWord = word !== '' && lower.length - word.length <= MAX_SUFFIX && COMMON.has(word);
  if (COMMON.has(lower) || isCommonWord)
    throw tooCommon('This password is in lists of common passwords; choose another one.');
  if (/^(.{1,4})\1+$/u.test(lower)) throw tooCommon('This password repeats a few characters; choose another one.');
  if (ownWords(person).includes(word === '' ? lower : word))
    throw tooCommon('This password follows from your name or e-mail address; choose another one.');
}

function ownWords({ email = '', name = '' }: Person): string[] {
  const [local = ''] = email.split('@');
  const words = name.toLowerCase();
  return [email, local, words, words.replaceAll(/\s+/g, '')].filter(word => word !== '');
}

const tooCommon = (message: string) => new Problem('validation', 'password_too_common', message);
