import { BillingError } from '@billing/client';
import { formatMoney } from '#ui/money.ts';
import { describeDecline } from '../failing-payments/failure-words.ts';

/**
 * Says why a change of a subscription was refused, for the reasons that have their own words: what happened, and what to do.
 * Amounts are in a currency.
 */
export function describeRefusal(error: unknown, currency: string) {
  if (!(error instanceof BillingError)) return undefined;
  const { requestId } = error;
  const says = (children: string) => ({ requestId, children: `${children} Nothing was changed.` });
  const again = 'Look at the new preview, and confirm it.';
  if (error.is('preview_expired')) return says(`The preview was too old. ${again}`);
  if (error.is('amount_changed')) {
    const { expected, actual } = error.details;
    const money = (amount: number) => formatMoney(amount, currency);
    return says(`It costs ${money(actual)} today, and not ${money(expected)} any more. ${again}`);
  }
  const why = describeDecline(error);
  return why && says(`${why} Have the customer choose another payment method in the portal, and try again.`);
}
