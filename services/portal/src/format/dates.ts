const UTC_DAY = { dateStyle: 'medium', timeZone: 'UTC' } as const;

/** A day in the reader's locale, in UTC: `Nov 20, 2026`. */
export function formatDate(date: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, UTC_DAY).format(date);
}

/** The days from one to another in the reader's locale, in UTC: `Nov 20 – Dec 20, 2026`. */
export function formatPeriod(start: Date, end: Date, locale: string): string {
  const [first, last] = start <= end ? [start, end] : [end, start];
  return new Intl.DateTimeFormat(locale, UTC_DAY).formatRange(first, last);
}

/** Year and month of a card's expiry in the reader's locale: `08/2027`. */
export function formatCardExpiry(month: number, year: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: '2-digit', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(Date.UTC(year, month - 1, 1)));
}
