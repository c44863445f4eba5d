import type { Payment, PaymentRefund } from '@billing/client';
import { useState } from 'react';
import { hasCode, problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { DialogButton, useClose } from '#resource/dialog-button.tsx';
import { useDialogWrite } from '#resource/write-dialogs.tsx';
import { AmountField, amountOf } from '#ui/amount-field.tsx';
import { Options, SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerName } from '../customers/customer-name.tsx';

/** What took money, and may be returned in part or whole. An inquiry is answered by a refund. */
const REFUNDABLE: readonly Payment['status'][] = ['succeeded', 'partially_refunded', 'inquiry'];

interface PaymentActionsProps {
  readonly payment: Payment;
  /** On the payment's own page, which has room for words. */
  readonly all?: boolean;
}

/** Refunds a payment, unless nothing of it can be refunded, and opens its page in Stripe's dashboard. */
export function PaymentActions({ payment, all = false }: PaymentActionsProps) {
  const { amount, currency, processorPaymentIntentId, processorChargeId } = payment;
  const isRefundable = REFUNDABLE.includes(payment.status) && payment.amountRefunded < amount;
  return (
    <span className="row">
      {isRefundable && (
        <DialogButton small={!all} dialog={<RefundDialog payment={payment} />}>
          Refund…
        </DialogButton>
      )}
      <OpenInStripe
        id={processorPaymentIntentId ?? processorChargeId}
        {...(!all && { what: `the payment of ${formatMoney(amount, currency)}` })}
      />
    </span>
  );
}

type Reason = NonNullable<PaymentRefund['reason']>;

const REASONS: Readonly<Record<Reason, string>> = {
  requested_by_customer: 'The customer asked for it',
  duplicate: 'It was paid twice',
  fraudulent: 'It was fraud',
};

/** Refunds all that is left of a payment, or a part of it. */
export function RefundDialog({ payment }: { readonly payment: Payment }) {
  const onClose = useClose();
  const { billing, key } = useProject();
  const [attempt] = useState(() => randomHex(32));
  const [limit, setLimit] = useState<string>();
  const { id, currency, customerId } = payment;
  const left = payment.amount - payment.amountRefunded;
  const money = (amount: number) => formatMoney(amount, currency);

  const refund = useDialogWrite({
    // The same refund sent again, because its response was lost, has the same key, and is made once.
    write: (wanted: PaymentRefund & { readonly amount: number }) =>
      billing.payments.refund(id, wanted, { idempotencyKey: `${attempt}-${wanted.amount}-${wanted.reason ?? ''}` }),
    stale: [key()],
    done: (_, { amount }) => `${money(amount)} are on their way back.`,
  });
  const isTooLarge = hasCode(refund.error, 'refund_too_large');
  const problems = problemsOf(isTooLarge ? undefined : refund.error, ['amount']);
  const tooLarge = `No more than ${money(left)} can be refunded.`;
  const submit = (fields: FormData) => {
    const amount = amountOf(fields, 'amount', currency) ?? left;
    const problem = amount === 0 ? 'Enter an amount above zero.' : amount > left ? tooLarge : undefined;
    setLimit(problem);
    const reason = textOf(fields, 'reason');
    if (!problem) refund.mutate({ amount, ...(isReason(reason) && { reason }) });
  };

  return (
    <FormDialog
      title="Refund the payment"
      lead={
        <div className="stack">
          <p>
            {customerId ? <CustomerName id={customerId} /> : 'A customer'} paid {money(payment.amount)} on{' '}
            <Time at={payment.createdAt} />
            {payment.amountRefunded > 0 && `, of which ${money(payment.amountRefunded)} are refunded`}.
          </p>
          <p className="muted">
            The money goes back to where it came from, mostly within ten days. A subscription goes on; cancel it
            separately. A refund cannot be undone.
          </p>
        </div>
      }
      action="Refund"
      write={{ ...refund, mutate: submit }}
      problems={problems}
      onClose={onClose}
    >
      <AmountField
        label="Amount"
        name="amount"
        currency={currency}
        defaultAmount={left}
        problem={limit ?? problems.of.amount ?? (isTooLarge ? tooLarge : undefined)}
      />
      <SelectField label="Reason" name="reason" hint="Kept with the refund. After a fraud Stripe also blocks the card.">
        <option value="">None</option>
        <Options of={REASONS} />
      </SelectField>
    </FormDialog>
  );
}

const isReason = (text: string): text is Reason => Object.hasOwn(REASONS, text);
