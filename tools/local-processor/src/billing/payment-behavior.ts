import { actionRequired, cardDeclined, noPaymentMethod } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { PaymentMethod } from '../objects/stored.ts';
import { outcomeOf } from './payments.ts';

/** What happens when a change has to be paid and is not. https://docs.stripe.com/api/subscriptions/update */
export type PaymentBehavior =
  | 'allow_incomplete'
  | 'default_incomplete'
  | 'error_if_incomplete'
  | 'pending_if_incomplete';

/** Checks before anything is stored that a card will pay. @throws ApiError 402 when it will not; 400 without a card */
export function refuseUnpaid(unit: UnitOfWork, card: PaymentMethod | null): void {
  if (!card) throw noPaymentMethod();
  const outcome = outcomeOf(unit, card);
  if (outcome === 'authenticates') throw actionRequired('subscription', null, card);
  if (outcome === 'declines') throw cardDeclined(null, null, card);
}
