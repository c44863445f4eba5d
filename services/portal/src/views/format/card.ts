import { humanize } from './text.ts';

/** Names of the processor's brand codes. https://docs.stripe.com/api/payment_methods/object */
const BRANDS: ReadonlyMap<string, string> = new Map([
  ['amex', 'American Express'],
  ['cartes_bancaires', 'Cartes Bancaires'],
  ['diners', 'Diners Club'],
  ['discover', 'Discover'],
  ['eftpos_au', 'eftpos'],
  ['jcb', 'JCB'],
  ['mastercard', 'Mastercard'],
  ['unionpay', 'UnionPay'],
  ['visa', 'Visa'],
]);

interface CardExpiry {
  /** 1 to 12. */
  readonly expMonth: number;
  readonly expYear: number;
}

/** Returns the name of a card brand; an unknown code is made readable. */
export const formatCardBrand = (brand: string): string => BRANDS.get(brand) ?? humanize(brand);

/** Returns month and year of a card's expiry in the reader's locale: `08/2027`. */
export function formatCardExpiry({ expMonth, expYear }: CardExpiry, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: '2-digit', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(Date.UTC(expYear, expMonth - 1, 1)));
}

/** Returns whether a card has expired: it is valid until the last day of its month, in UTC. */
export function hasCardExpired({ expMonth, expYear }: CardExpiry, now: Date): boolean {
  return now.getTime() >= Date.UTC(expYear, expMonth, 1);
}
