interface CardExpiry {
  /** 1 to 12. */
  readonly expMonth: number;
  readonly expYear: number;
}

/** Returns month and year of a card's expiry in the reader's locale: `08/2027`. */
export function formatCardExpiry({ expMonth, expYear }: CardExpiry, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: '2-digit', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(Date.UTC(expYear, expMonth - 1, 1)));
}

/** Returns whether a card has expired: it is valid until the last day of its month, in UTC. */
export function hasCardExpired({ expMonth, expYear }: CardExpiry, now: Date): boolean {
  return now.getTime() >= Date.UTC(expYear, expMonth, 1);
}
