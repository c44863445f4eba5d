const FALLBACK = 'en-US';
/** A header that is longer than any browser's is not read to its end. */
const MOST_RANGES = 12;

/**
 * The locale a reader likes best of those this platform knows, by `Accept-Language`; English of the United States when
 * the header is absent or names none. https://www.rfc-editor.org/rfc/rfc9110#name-accept-language
 */
export function readerLocale(header: string | undefined): string {
  const ranges = (header ?? '').split(',', MOST_RANGES).map(readRange);
  const wanted = ranges.filter(it => it.quality > 0).toSorted((one, other) => other.quality - one.quality);
  return wanted.map(it => knownLocale(it.tag)).find(it => it !== undefined) ?? FALLBACK;
}

function readRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map(it => it.trim());
  const quality = parameters.find(it => it.startsWith('q='))?.slice(2);
  return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

function knownLocale(tag: string): string | undefined {
  if (tag === '*') return FALLBACK;
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0];
  } catch {
    return undefined; // not a language tag at all
  }
}
