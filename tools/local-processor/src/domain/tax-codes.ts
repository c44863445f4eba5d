/** The tax codes that the local processor knows, a few of Stripe's. https://docs.stripe.com/tax/tax-codes */
const TAX_CODES: ReadonlySet<string> = new Set([
  'txcd_00000000', // not taxable
  'txcd_10000000', // electronic services
  'txcd_10103000', // software as a service, for private use
  'txcd_10103001', // software as a service, for businesses
  'txcd_10103100',
  'txcd_10103101',
  'txcd_10202000', // downloaded software
  'txcd_10202003',
  'txcd_10302000', // digital books
  'txcd_10401100', // digital audio and video
  'txcd_20030000', // services
  'txcd_35010000', // printed books
  'txcd_92010001', // shipping
  'txcd_99999999', // goods
]);

/** Returns whether the local processor knows a tax code. */
export const isTaxCode = (id: string): boolean => TAX_CODES.has(id);
