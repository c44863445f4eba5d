import { unprocessable } from '@billing/contracts/problem';
import type { Processor } from '@billing/processor/port';

/**
 * Finds what is charged for a customer: the customer's default, for which no id is sent, else what the newest subscription is
 * charged to, as a checkout saves a card for that alone; null without either.
 */
export async function findPaymentMethod(
  processor: Pick<Processor, 'findPaymentMethods'>,
  processorCustomerId: string,
): Promise<{ readonly paymentMethodId?: string } | null> {
  const { customerDefault, ofSubscriptions } = await processor.findPaymentMethods(processorCustomerId);
  const [ofNewest] = ofSubscriptions.values();
  if (customerDefault) return {};
  return ofNewest ? { paymentMethodId: ofNewest.id } : null;
}

export const paymentMethodMissing = () =>
  unprocessable('payment_method_missing', 'The customer has no saved payment method; send an invoice instead.');
