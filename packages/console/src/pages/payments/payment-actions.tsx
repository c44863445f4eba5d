import type { Payment } from '@billing/client';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { RefundDialog } from './refund-dialog.tsx';

/** What took money, and may be returned in part or whole. An inquiry is answered by a refund. */
const REFUNDABLE: readonly Payment['status'][] = ['succeeded', 'partially_refunded', 'inquiry'];

/** Refunds a payment; nothing where nothing of it can be refunded. */
export function PaymentActions({ payment }: { readonly payment: Payment }) {
  const [refunding, setRefunding] = useState(false);
  const isRefundable = REFUNDABLE.includes(payment.status) && payment.amountRefunded < payment.amount;
  return (
    <>
      {isRefundable && (
        <Button small onClick={() => setRefunding(true)}>
          Refund…
        </Button>
      )}
      {refunding && <RefundDialog payment={payment} onClose={() => setRefunding(false)} />}
    </>
  );
}
