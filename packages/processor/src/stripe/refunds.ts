import type { Processor, RefundedPayment } from '../port.ts';
import { readRefund } from '../snapshots/payments.ts';
import { write, type Calls } from './calls.ts';
import { findCreated } from './find-created.ts';

type Refunds = Pick<Processor, 'createRefund' | 'findCreatedRefund'>;

/** Refunds of payments. */
export function refundCalls({ stripe, call }: Calls): Refunds {
  return {
    createRefund: (payment, { metadata, ...refund }, key) =>
      call(async () =>
        readRefund(
          await stripe.refunds.create({ ...parameterOf(payment), ...refund, metadata: { ...metadata } }, write(key)),
        ),
      ),
    findCreatedRefund: (payment, created) =>
      call(async () => {
        const found = await findCreated(created, page => stripe.refunds.list({ ...parameterOf(payment), ...page }));
        return found && readRefund(found);
      }),
  };
}

const parameterOf = (payment: RefundedPayment) =>
  'chargeId' in payment ? { charge: payment.chargeId } : { payment_intent: payment.paymentIntentId };
