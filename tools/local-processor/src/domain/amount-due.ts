/**
 * The least that a card can be charged, in the currency's smallest unit; a currency that is not here has no minimum.
 * (Stripe: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts)
 */
const LEAST_CHARGE = new Map([
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
 * Returns what is due of an invoice and the balance that it leaves to the customer, in the currency's smallest unit. A
 * negative balance is credit, which the invoice uses; a negative total adds to it. A total below the least charge is
 * carried over to the next invoice.
 * (Stripe: https://docs.stripe.com/billing/customer/balance)
 */
export function amountDue(total: number, balance: number, currency: string): { due: number; endingBalance: number } {
  const left = total + balance;
  const isCharged = left > 0 && left >= (LEAST_CHARGE.get(currency) ?? 0);
  return isCharged ? { due: left, endingBalance: 0 } : { due: 0, endingBalance: left };
}
