import { z } from 'zod';

/** Returns whether PostgreSQL and JSON can both store the text: no NUL, no lone surrogate. */
export const isStorable = (value: string): boolean => !value.includes('\u0000') && value.isWellFormed();

const storable = z.string().refine(isStorable, { error: 'Contains characters that cannot be stored.', abort: true });

/** What shows nothing: controls, formats such as the zero-width space, separators, fillers, and the blank of Braille. */
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** A text of 1 to `max` characters in Unicode's NFC, trimmed, of which at least one can be seen. */
export const text = (max: number) =>
  storable
    .normalize('NFC')
    .trim()
    .min(1)
    .max(max)
    .refine(value => value === '' || !INVISIBLE.test(value), 'Contains nothing that can be seen.');

/** A text of at most `max` characters in Unicode's NFC, which may be empty. */
export const optionalText = (max: number) => storable.normalize('NFC').max(max);

/** The processor's limit. https://docs.stripe.com/api/customers/create */
const MAX_EMAIL = 512;

/**
 * Addresses of RFC 5322 without quotes and comments, with what RFC 6531 adds: UTF-8 before the @, and domains of any script.
 * Dots may stand anywhere before the @, as some providers have them.
 */
const EMAIL = /^[^\p{C}\p{Z}"(),:;<>@[\\\]]+@(?:(?!-)[\p{L}\p{M}\p{N}-]+(?<!-)\.)+(?!-)[\p{L}\p{M}\p{N}-]+(?<!-)$/u;

/** Returns an address as it is stored and compared: two spellings of one address are one customer. */
export const canonicalEmail = (address: string): string =>
  address.normalize('NFC').trim().toLowerCase().normalize('NFC');

/**
 * Checked before anything is changed: Unicode has characters that look like ASCII ones and become them by some
 * normalization or in lower case, such as the Kelvin sign and letters of full width.
 */
const typedEmail = storable.refine(value => !Array.from(value).some(becomesAscii), {
  error: 'Contains a character that looks like another one.',
  abort: true,
});

/** An e-mail address in the caller's spelling, trimmed and in Unicode's NFC. */
export const emailAsGiven = typedEmail
  .normalize('NFC')
  .trim()
  .max(MAX_EMAIL)
  .regex(EMAIL, 'Expected an e-mail address.')
  .meta({ format: 'email' });

/** An e-mail address as {@link canonicalEmail} has it. */
export const email = typedEmail
  .overwrite(canonicalEmail)
  .max(MAX_EMAIL)
  .regex(EMAIL, 'Expected an e-mail address.')
  .meta({ format: 'email' });

/** An e-mail address to look for: any that an event may bring, also one that nobody could type elsewhere. */
export const wantedEmail = storable
  .overwrite(canonicalEmail)
  .max(MAX_EMAIL)
  .regex(/@/, 'Expected an e-mail address.')
  .meta({ format: 'email' });

/** A boolean in a query string: exactly `true` or `false`. */
export const booleanText = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: value => value === 'true',
  encode: value => (value ? 'true' : 'false'),
});

/** A whole number in a query string, between `min` and `max`, in decimal digits; `tooBig` says what else to do. */
export const integerText = (min: number, max: number, tooBig?: string) =>
  z.codec(z.string().regex(/^-?\d{1,16}$/, 'Expected a whole number.'), z.int().min(min).max(max, tooBig), {
    decode: Number,
    encode: String,
  });

/** One to `max` ids in a query string, separated by commas; a repeated one counts once. */
export const idsText = <Id extends string>(id: z.ZodType<Id, Id>, max: number) =>
  z.codec(z.string(), z.array(id).max(max, `Expected at most ${max} ids.`), {
    decode: listed => [...new Set(listed.split(','))] as Id[], // each is checked by the array's schema
    encode: ids => ids.join(','),
  });

/** An absolute http(s) URL without user name and password; stored exactly as given. */
export const webUrl = z
  .string()
  .max(2_048)
  .refine(isWebUrl, 'Expected an absolute http or https URL without user name or password.');

/** An absolute https URL, of whose host nothing has a meaning in a header: a host may have `;`, `,` and quotes. */
export const imageUrl = webUrl.refine(
  value => /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(URL.parse(value)?.origin ?? ''),
  'Expected an https URL.',
);

/** By an expression of its own: the gateway changes Zod's, so that its sign-in takes any address. */
const mailAddress = z.email({ pattern: new RegExp(z.regexes.email) });

/** Where people get help: an absolute http(s) URL, or an e-mail address as `mailto:help@example.com`. */
export const helpUrl = z
  .string()
  .max(2_048)
  .refine(
    value => isWebUrl(value) || (value.startsWith('mailto:') && mailAddress.safeParse(value.slice(7)).success),
    'Expected an absolute http or https URL without user name or password, or mailto: and an e-mail address.',
  );

const becomesAscii = (character: string): boolean =>
  character > '\u007f' && /\p{ASCII}/u.test(character.normalize('NFKC').toLowerCase());

function isWebUrl(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- the pattern rejects control characters
  if (!/^https?:\/\/[^\s\u0000-\u001f\u007f\\]+$/i.test(value) || !value.isWellFormed()) return false;
  // A URL parser drops an empty user name, and slashes before the host.
  if (/^https?:\/\/(?:\/|[^/?#]*@)/i.test(value)) return false;
  return URL.parse(value) !== null;
}
