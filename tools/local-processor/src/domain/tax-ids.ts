/** What values of the member states of the EU look like, and those of Northern Ireland, which trades goods by its rules. */
const EU_VAT = [
  /^(DK|FI|HU|LU|MT|SI)\d{8}$/,
  /^(DE|EE|EL|PT)\d{9}$/,
  /^(PL|SK)\d{10}$/,
  /^(HR|IT|LV)\d{11}$/,
  /^ATU\d{8}$/,
  /^BE[01]\d{9}$/,
  /^BG\d{9,10}$/,
  /^CY\d{8}[A-Z]$/,
  /^CZ\d{8,10}$/,
  /^ES[0-9A-Z]\d{7}[0-9A-Z]$/,
  /^FR[0-9A-Z]{2}\d{9}$/,
  /^IE\d[0-9A-Z+*]\d{5}[A-Z]{1,2}$/,
  /^LT(\d{9}|\d{12})$/,
  /^NL\d{9}B\d{2}$/,
  /^RO\d{2,10}$/,
  /^SE\d{12}$/,
  /^XI(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/,
];

/** The countries whose letters in tax ids are not their own. */
const COUNTRY_OF_PREFIX: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' };

interface Format {
  readonly pattern: RegExp;
  /** Null for the EU, whose values begin with the country. */
  readonly country: string | null;
  /** Whether a register is asked, whose answer here is there as soon as the request that makes the id has ended. */
  readonly isVerified?: true;
}

/** The types that the local processor takes; values are compared without spaces, dots and dashes. */
const FORMATS = {
  au_abn: { pattern: /^\d{11}$/, country: 'AU', isVerified: true },
  br_cnpj: { pattern: /^\d{14}$/, country: 'BR' },
  ca_bn: { pattern: /^\d{9}$/, country: 'CA' },
  ca_gst_hst: { pattern: /^\d{9}RT\d{4}$/, country: 'CA' },
  ch_vat: { pattern: /^CHE\d{9}(MWST|TVA|IVA)$/, country: 'CH' },
  eu_vat: { pattern: new RegExp(EU_VAT.map(({ source }) => source).join('|')), country: null, isVerified: true },
  gb_vat: { pattern: /^GB(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/, country: 'GB', isVerified: true },
  in_gst: { pattern: /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/, country: 'IN' },
  jp_trn: { pattern: /^T\d{13}$/, country: 'JP' },
  mx_rfc: { pattern: /^[A-ZÑ&]{3,4}\d{6}[0-9A-Z]{3}$/, country: 'MX' },
  no_vat: { pattern: /^\d{9}MVA$/, country: 'NO' },
  nz_gst: { pattern: /^\d{8,9}$/, country: 'NZ' },
  sg_gst: { pattern: /^[0-9A-Z]{9,10}$/, country: 'SG' },
  us_ein: { pattern: /^\d{9}$/, country: 'US' },
  za_vat: { pattern: /^4\d{9}$/, country: 'ZA' },
} satisfies Readonly<Record<string, Format>>;

export type TaxIdType = keyof typeof FORMATS;

/** Returns whether the local processor knows a type of tax id. */
export const isTaxIdType = (type: string): type is TaxIdType => Object.hasOwn(FORMATS, type);

/** A tax id as it is read. */
export interface ReadTaxId {
  readonly country: string;
  readonly isVerified: boolean;
}

/**
 * Returns what a tax id says; null for a value that its type does not take.
 * (Stripe: https://docs.stripe.com/billing/customer/tax-ids#supported-tax-id)
 */
export function readTaxId(type: TaxIdType, value: string): ReadTaxId | null {
  const format: Format = FORMATS[type];
  const plain = value.toUpperCase().replaceAll(/[\s./-]/g, '');
  if (!format.pattern.test(plain)) return null;
  const letters = plain.slice(0, 2);
  return {
    country: format.country ?? COUNTRY_OF_PREFIX[letters] ?? letters,
    isVerified: format.isVerified === true,
  };
}

/**
 * Returns what the register says of a value: Stripe's test values end in nine equal digits, and others are known.
 * (Stripe: https://docs.stripe.com/billing/customer/tax-ids#validation)
 */
export function registerSays(value: string): 'pending' | 'unverified' | 'verified' {
  if (/1{9}$/.test(value)) return 'unverified';
  return /2{9}$/.test(value) ? 'pending' : 'verified';
}
