import { chargeStepOf, decimalsOf, formatMoney, isWholeCurrency } from '@billing/client';
import { READER_LOCALE } from './reader-locale.ts';
import { sentence } from './sentence.ts';

/** What a person wrote: an amount in the currency's smallest unit, or what is wrong with it. */
export type ParsedMoney =
  | { readonly amount: number; readonly problem?: undefined }
  | { readonly amount?: undefined; readonly problem: string };

/** The largest amount of the API. */
const MAX_AMOUNT = 99_999_999;
/** Thousands apart by groups of three, or as in India by groups of two before the last three. */
const GROUPED = /^(?:\d+|\d{1,3}([.,'’٬ ])\d{3}(?:\1\d{3})*|\d{1,2}(?:,\d{2})*,\d{3})$/;

/**
 * Reads an amount as people write it: `$49`, `1,234.50`, `1.234,50 €`, `CHF 1'234.50`, with the digits of any script. Where a
 * point or a comma could separate thousands or decimals (`1.234`), the locale decides; what it does not use is refused.
 */
export function parseMoney(text: string, currency: string, locale = READER_LOCALE): ParsedMoney {
  const asExample = (amount: number) => formatMoney(amount, currency, 'en');
  const wrong = { problem: `Write an amount, for example ${asExample(exampleOf(currency))}.` };
  const [, before = '', digits, after = ''] = /^(\D*)(\d(?:.*\d)?)(\D*)$/.exec(normalize(text)) ?? [];
  if (digits === undefined) return wrong;

  const isNegative = /^\W*[-−]/.test(before);
  const sign = before.replace(/[-−]/, '').trim();
  const startsWithMark = /[.,٫]$/.test(sign) && !isSymbol(sign, currency, locale);
  const number = startsWithMark ? `0${sign.at(-1)}${digits}` : digits;
  const stranger = [startsWithMark ? sign.slice(0, -1) : sign, after.replace(/^[.,][-–—]*/, '')].find(
    written => !isSymbol(written, currency, locale),
  );
  if (stranger !== undefined)
    return /\p{Sc}/u.test(stranger) || /^[a-z]{3}$/i.test(stranger.trim())
      ? { problem: `The currency is ${currency.toUpperCase()}: leave out “${stranger.trim()}”.` }
      : wrong;

  const mark = decimalMarkOf(number, currency, locale);
  if (mark === undefined) return { problem: 'Leave out what separates the thousands.' };
  const at = mark === '' ? number.length : number.lastIndexOf(mark);
  const [whole, fraction] = [number.slice(0, at), number.slice(at + 1)];
  if (!GROUPED.test(whole) || !/^\d*$/.test(fraction)) return wrong;
  if (isNegative) return { problem: 'An amount can’t be negative.' };
  return inSmallestUnits(whole.replaceAll(/\D/g, ''), fraction, currency);
}

/** Returns the smallest units of digits before and after the decimal mark, within what the processor charges. */
function inSmallestUnits(whole: string, fraction: string, currency: string): ParsedMoney {
  const decimals = decimalsOf(currency);
  const shown = isWholeCurrency(currency) ? 0 : decimals;
  const step = chargeStepOf(currency);
  if (fraction.length > shown)
    return {
      problem: `${pluralOf(currency)} have ${['no', '', 'at most two', 'at most three'][shown]} decimals.`,
    };
  const amount = Number(whole) * 10 ** decimals + Number(fraction.padEnd(decimals, '0'));
  if (amount > MAX_AMOUNT)
    return { problem: `At most ${formatMoney(MAX_AMOUNT - (MAX_AMOUNT % step), currency, 'en')}.` };
  if (amount % step !== 0) return { problem: `The last decimal of ${pluralOf(currency)} must be 0.` };
  return { amount };
}

/** An amount with decimals where the currency has them: $29.99, ¥3,000, KWD 29.990. */
const exampleOf = (currency: string): number =>
  isWholeCurrency(currency) ? 3_000 * 10 ** decimalsOf(currency) : 2_999 * 10 ** (decimalsOf(currency) - 2);

/**
 * Returns the character that separates the decimals of a number; '' when it has none, undefined when that can't be told.
 */
function decimalMarkOf(number: string, currency: string, locale: string): string | undefined {
  const marks = number.replaceAll(/\d/g, '');
  const last = marks.at(-1);
  if (last === undefined) return '';
  const used = marksOf(currency, locale);
  if (last !== '.' && last !== ',') return last === '٫' || used.decimal.has(last) ? last : '';
  if (marks.indexOf(last) < marks.length - 1) return '';
  const at = number.indexOf(last);
  const isThousand = marks.length === 1 && /^[1-9]\d{0,2}$/.test(number.slice(0, at)) && number.length - at === 4;
  if (!isThousand) return last;
  if (used.decimal.has(last) === used.group.has(last)) return undefined;
  return used.decimal.has(last) ? last : '';
}

/** Returns the characters that a locale writes in numbers and in amounts, which differ in Austria and Switzerland. */
function marksOf(currency: string, locale: string) {
  const digits = { minimumFractionDigits: 2, useGrouping: 'always' } as const;
  const parts = [digits, { ...digits, style: 'currency', currency } as const].flatMap(options =>
    new Intl.NumberFormat(locale, options).formatToParts(1_234_567.89),
  );
  const ofType = (type: string) => new Set(parts.filter(part => part.type === type).map(({ value }) => value));
  return { decimal: ofType('decimal'), group: ofType('group') };
}

/** Returns whether a text beside a number is nothing, or stands for the currency: `$`, `US$`, `usd`, `US dollars`. */
function isSymbol(text: string, currency: string, locale: string): boolean {
  const written = compact(text);
  return written === '' || symbolsOf(currency, locale).some(symbol => compact(symbol) === written);
}

const symbolsOf = (currency: string, locale: string): string[] => [
  currency,
  ...[locale, 'en'].flatMap(language =>
    (['symbol', 'narrowSymbol', 'name'] as const).flatMap(currencyDisplay =>
      [1, 2].map(count => currencyPart(count, currency, language, currencyDisplay)),
    ),
  ),
];

function currencyPart(
  count: number,
  currency: string,
  locale: string,
  currencyDisplay: 'symbol' | 'narrowSymbol' | 'name',
) {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay });
  return format.formatToParts(count).find(({ type }) => type === 'currency')?.value ?? '';
}

/** Returns the name of several units: `US dollars`, `Japanese yen`, `Euros`. */
const pluralOf = (currency: string): string => sentence(currencyPart(2, currency, 'en', 'name'));

const compact = (text: string): string => normalize(text).replaceAll(/\s/g, '').toLowerCase();

/** Returns a text in plain characters: one kind of space, the digits 0 to 9, no marks of direction. */
const normalize = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/\p{Nd}/gu, digitOf)
    .replaceAll(/\s/g, ' ')
    .trim();

/** Returns 0 to 9 for a digit of any script; Unicode has the ten of each in order, one after the other. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}
