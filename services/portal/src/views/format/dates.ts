const UTC_DAY = { dateStyle: 'medium', timeZone: 'UTC' } as const;

/** Returns a UTC day in the reader's locale: `Nov 20, 2026`. */
export function formatDate(date: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, UTC_DAY).format(date);
}

/** Returns a range of UTC days in the reader's locale: `Nov 20 – Dec 20, 2026`. */
export function formatPeriod(start: Date, end: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, UTC_DAY).formatRange(start, end);
}
