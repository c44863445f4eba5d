import { z } from 'zod';

/** Whether PostgreSQL and JSON can both hold the text: no NUL, no half of a surrogate pair. */
export const isStorable = (value: string): boolean => !value.includes('\u0000') && value.isWellFormed();

/** A text of 1 to `max` characters once the white space around it is gone. */
export const text = (max: number) =>
  z.string().refine(isStorable, 'Contains characters that cannot be stored.').trim().min(1).max(max);

/** A text that may be empty, of at most `max` characters. */
export const optionalText = (max: number) =>
  z.string().refine(isStorable, 'Contains characters that cannot be stored.').max(max);

/** An e-mail address, trimmed and lower-cased: two spellings of one address are one customer. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ error: 'Expected an e-mail address.' }));

/** A query's boolean: exactly `true` or `false`. */
export const booleanText = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: value => value === 'true',
  encode: value => (value ? 'true' : 'false'),
});

/** A query's whole number between `min` and `max`, in decimal digits. */
export const integerText = (min: number, max: number) =>
  z.codec(z.string().regex(/^-?\d{1,16}$/, 'Expected a whole number.'), z.int().min(min).max(max), {
    decode: Number,
    encode: String,
  });

/** An absolute http(s) address without user-info; kept exactly as given. */
export const webUrl = z
  .string()
  .max(2_048)
  .refine(isWebUrl, 'Expected an absolute http or https URL without user name or password.');

function isWebUrl(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what must be refused
  if (!/^https?:\/\/[^\s\u0000-\u001f\u007f\\]+$/i.test(value) || !value.isWellFormed()) return false;
  const url = URL.parse(value);
  return url !== null && url.username === '' && url.password === '' && url.hostname !== '';
}
