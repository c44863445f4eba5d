const FALLBACK = 'en-US';
/** Browsers send fewer; the rest of a longer header is ignored. */
const MAX_RANGES = 12;

/**
 * Returns the locale that an `Accept-Language` header prefers among those that `Intl` supports, `en-US` when there is none. It
 * has the digits 0 to 9, as pages in English do.
 * https://www.rfc-editor.org/rfc/rfc9110#name-accept-language
 */
export function readerLocale(header: string | undefined): string {
  const ranges = (header ?? '').split(',', MAX_RANGES).map(parseRange);
  const wanted = ranges.filter(it => it.quality > 0).toSorted((one, other) => other.quality - one.quality);
  return wanted.map(it => supportedLocale(it.tag)).find(it => it !== undefined) ?? FALLBACK;
}

function withLatinDigits(locale: string): string {
  const { numberingSystem } = new Intl.NumberFormat(locale).resolvedOptions();
  return numberingSystem === 'latn' ? locale : new Intl.Locale(locale, { numberingSystem: 'latn' }).toString();
}

function parseRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map(it => it.trim());
  const quality = parameters.find(it => it.startsWith('q='))?.slice(2);
  return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

function supportedLocale(tag: string): string | undefined {
  if (tag === '*') return FALLBACK;
  try {
    const locale = Intl.DateTimeFormat.supportedLocalesOf(tag)[0];
    return locale && withLatinDigits(locale);
  } catch {
    return undefined; // not a language tag
  }
}
