import type { Payment } from '@billing/client';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { formatMoney } from '#ui/money.ts';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { RefundDialog } from './refund-dialog.tsx';

/** What took money, and may be returned in part or whole. An inquiry is answered by a refund. */
const REFUNDABLE: readonly Payment['status'][] = ['succeeded', 'partially_refunded', 'inquiry'];

/** Refunds a payment, unless nothing of it can be refunded, and opens its page in Stripe's dashboard. */
export function PaymentActions({ payment }: { readonly payment: Payment }) {
  const [refunding, setRefunding] = useState(false);
  const { amount, currency, processorPaymentIntentId, processorChargeId } = payment;
  const isRefundable = REFUNDABLE.includes(payment.status) && payment.amountRefunded < amount;
  return (
    <>
      <span className="row">
        {isRefundable && (
          <Button small onClick={() => setRefunding(true)}>
            Refund…
          </Button>
        )}
        <OpenInStripe
          id={processorPaymentIntentId ?? processorChargeId}
          what={`the payment of ${formatMoney(amount, currency)}`}
        />
      </span>
      {refunding && <RefundDialog payment={payment} onClose={() => setRefunding(false)} />}
    </>
  );
}
