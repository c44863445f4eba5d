import { z } from 'zod';

/** Returns whether PostgreSQL and JSON can both store the text: no NUL, no lone surrogate. */
export const isStorable = (value: string): boolean => !value.includes('\u0000') && value.isWellFormed();

/** A text of 1 to `max` characters, trimmed. */
export const text = (max: number) =>
  z.string().refine(isStorable, 'Contains characters that cannot be stored.').trim().min(1).max(max);

/** A text of at most `max` characters that may be empty. */
export const optionalText = (max: number) =>
  z.string().refine(isStorable, 'Contains characters that cannot be stored.').max(max);

/**
 * Checked before anything is changed: Unicode has letters that look like ASCII ones, or become them in lower case, such as
 * the Kelvin sign.
 */
const asciiText = z.string().refine(isAscii, { error: 'Expected only ASCII characters.', abort: true });
const validEmail = z.email({ error: 'Expected an e-mail address.' });

/** An e-mail address in the caller's spelling, trimmed. */
export const emailAsGiven = asciiText.trim().max(254).pipe(validEmail);

/** An e-mail address, trimmed and lower-cased: two spellings of one address are one customer. */
export const email = asciiText.trim().toLowerCase().max(254).pipe(validEmail);

/** A boolean in a query string: exactly `true` or `false`. */
export const booleanText = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: value => value === 'true',
  encode: value => (value ? 'true' : 'false'),
});

/** A whole number in a query string, between `min` and `max`, in decimal digits. */
export const integerText = (min: number, max: number) =>
  z.codec(z.string().regex(/^-?\d{1,16}$/, 'Expected a whole number.'), z.int().min(min).max(max), {
    decode: Number,
    encode: String,
  });

/** An absolute http(s) URL without user name and password; stored exactly as given. */
export const webUrl = z
  .string()
  .max(2_048)
  .refine(isWebUrl, 'Expected an absolute http or https URL without user name or password.');

function isAscii(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- the pattern rejects control characters
  return !/[^\u0009-\u000d\u0020-\u007e]/.test(value);
}

function isWebUrl(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- the pattern rejects control characters
  if (!/^https?:\/\/[^\s\u0000-\u001f\u007f\\]+$/i.test(value) || !value.isWellFormed()) return false;
  // A URL parser drops an empty user name, and slashes before the host.
  if (/^https?:\/\/(?:\/|[^/?#]*@)/i.test(value)) return false;
  return URL.parse(value) !== null;
}
