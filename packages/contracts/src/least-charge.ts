/**
 * The least that can be charged, in the currency's smallest unit.
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
 */
const LEAST_CHARGES: ReadonlyMap<string, number> = new Map([
  ...['usd', 'aud', 'brl', 'cad', 'chf', 'eur', 'inr', 'nzd', 'sgd', 'jpy'].map(code => [code, 50] as const),
  ['gbp', 30],
  ['bgn', 100],
  ['aed', 200],
  ['myr', 200],
  ['pln', 200],
  ['ron', 200],
  ['dkk', 250],
  ['nok', 300],
  ['sek', 300],
  ['hkd', 400],
  ['mxn', 1_000],
  ['thb', 1_000],
  ['czk', 1_500],
  ['huf', 17_500],
]);

/**
 * Returns the least that the processor charges in a currency, in its smallest unit; 0 for one whose minimum is not published, as
 * it then depends on the account. An invoice that comes to less is not charged: the customer owes it with the next one.
 * https://docs.stripe.com/billing/customer/balance
 */
export const leastCharge = (currency: string): number => LEAST_CHARGES.get(currency) ?? 0;
