import { roundedQuotient } from './prorate.ts';

/** The standard rate of tax on sales in hundredths of a percent, by country. Countries that are not here tax nothing. */
const RATES: Readonly<Record<string, number>> = {
  AT: 2000,
  AU: 1000,
  BE: 2100,
  BG: 2000,
  CA: 500,
  CH: 810,
  CY: 1900,
  CZ: 2100,
  DE: 1900,
  DK: 2500,
  EE: 2400,
  ES: 2100,
  FI: 2550,
  FR: 2000,
  GB: 2000,
  GR: 2400,
  HR: 2500,
  HU: 2700,
  IE: 2300,
  IN: 1800,
  IT: 2200,
  JP: 1000,
  LT: 2100,
  LU: 1700,
  LV: 2100,
  MT: 1800,
  MX: 1600,
  NL: 2100,
  NO: 2500,
  NZ: 1500,
  PL: 2300,
  PT: 2300,
  RO: 2100,
  SE: 2500,
  SG: 900,
  SI: 2200,
  SK: 2300,
  ZA: 1500,
};

/** Where a customer is taxed. */
export interface TaxLocation {
  readonly country: string;
  readonly state: string | null;
}

interface Address {
  readonly country: string | null;
  readonly postal_code: string | null;
  readonly state: string | null;
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

const isCountry = (code: string): boolean => /^[A-Z]{2}$/.test(code) && REGIONS.of(code) !== undefined;

/**
 * Returns where an address is taxed; null when it is not precise enough: the United States need a postal code, Canada needs
 * one or the province, other countries themselves.
 * (Stripe: https://docs.stripe.com/tax/customer-locations#supported-formats)
 */
export function locationOf(address: Address | null): TaxLocation | null {
  const country = address?.country?.toUpperCase() ?? '';
  if (!address || !isCountry(country)) return null;
  const { postal_code: postalCode, state } = address;
  if (country === 'US' && !/^\d{5}(-?\d{4})?$/.test(postalCode ?? '')) return null;
  if (country === 'CA' && postalCode === null && state === null) return null;
  return { country, state };
}

/** Why a sale is taxed at its rate, in Stripe's words. */
export type TaxReason = 'customer_exempt' | 'not_collecting' | 'reverse_charge' | 'standard_rated';

/** How a sale is taxed. */
export interface Taxation {
  readonly location: TaxLocation;
  /** In hundredths of a percent. */
  readonly rate: number;
  readonly reason: TaxReason;
}

/**
 * Returns how sales to a customer are taxed. Who has a tax id of the own country owes the tax itself, as the seller is in
 * another one. (Stripe: https://docs.stripe.com/tax/zero-tax)
 */
export function taxationOf(
  location: TaxLocation,
  exempt: string | null | undefined,
  idCountries: readonly (string | null)[],
): Taxation {
  const rate = RATES[location.country] ?? 0;
  if (exempt === 'exempt') return { location, rate: 0, reason: 'customer_exempt' };
  if (rate === 0) return { location, rate: 0, reason: 'not_collecting' };
  const isReversed = exempt === 'reverse' || idCountries.includes(location.country);
  return isReversed ? { location, rate: 0, reason: 'reverse_charge' } : { location, rate, reason: 'standard_rated' };
}

/** The tax of one amount. */
export interface AmountTax {
  /** In the currency's smallest unit; of the same sign as what is taxed. */
  readonly amount: number;
  /** What is taxed, without the tax. */
  readonly taxable: number;
}

/** Returns the tax of an amount, added to it or contained in it, rounded to the nearest smallest unit. */
export function taxOf(amount: number, rate: number, isInclusive: boolean): AmountTax {
  const parts = BigInt(isInclusive ? 10_000 + rate : 10_000);
  const tax = roundedQuotient(BigInt(Math.abs(amount)) * BigInt(rate), parts);
  const signed = amount < 0 ? 0 - tax : tax;
  return { amount: signed, taxable: isInclusive ? amount - signed : amount };
}
