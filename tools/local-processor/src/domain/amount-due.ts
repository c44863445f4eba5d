import { leastCharge } from '@billing/contracts/least-charge';

/**
 * Returns what is due of an invoice and the balance that it leaves to the customer, in the currency's smallest unit. A
 * negative balance is credit, which the invoice uses; a negative total adds to it. A total below the least charge is
 * carried over to the next invoice.
 * (Stripe: https://docs.stripe.com/billing/customer/balance)
 */
export function amountDue(total: number, balance: number, currency: string): { due: number; endingBalance: number } {
  const left = total + balance;
  const isCharged = left > 0 && left >= leastCharge(currency);
  return isCharged ? { due: left, endingBalance: 0 } : { due: 0, endingBalance: left };
}
