import { BillingError } from '@billing/client';
import { formatMoney } from '#ui/money.ts';
import { describeDecline } from '../failing-payments/failure-words.ts';

/** Says why a sale was refused, for the reasons that have their own words: what happened, and what to do. */
export function describeRefusal(error: unknown, currency: string) {
  if (!(error instanceof BillingError)) return undefined;
  const { requestId } = error;
  const says = (children: string) => ({ requestId, children: `${children} Nothing was sold.` });
  const money = (amount: number) => formatMoney(amount, currency);
  if (error.is('amount_changed')) {
    const { actual, expected } = error.details;
    return says(
      `It comes to ${money(actual)} now, and not to ${money(expected)} any more. Look at the new preview, and confirm it.`,
    );
  }
  if (error.is('payment_required'))
    return says(`${money(error.details.amountDue)} is due now. Charge it, send an invoice, or give a trial.`);
  if (error.is('payment_method_missing'))
    return says('The customer has no saved payment method. Make a link to a page, or send an invoice.');
  if (error.is('already_subscribed'))
    return says('The customer has a subscription to this product already, which you allow only once.');
  const why = describeDecline(error);
  return (
    why && says(`${why} Send an invoice instead, or have the customer choose another payment method in the portal.`)
  );
}
