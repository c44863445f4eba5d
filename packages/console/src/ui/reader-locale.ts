/** The locale of the reader's browser, with the digits of the page, whose texts are English. */
export const READER_LOCALE = withLatinDigits(new Intl.NumberFormat().resolvedOptions().locale);

/** Returns a locale that formats numbers as before, in the digits 0 to 9. */
export function withLatinDigits(locale: string): string {
  return new Intl.Locale(locale, { numberingSystem: 'latn' }).toString();
}
