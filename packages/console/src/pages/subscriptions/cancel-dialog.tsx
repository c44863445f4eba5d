import type { CancellationReason, EndedInvoice, Subscription, SubscriptionCancel } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { useDialogWrite } from '#resource/write-dialogs.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Options, SelectField, TextAreaField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';
import { CancelBillingFields, NOTHING_BILLED, useCancelPreview, type CancelBilling } from './cancel-billing.tsx';
import { CANCELLATION_REASONS } from './cancellation-reasons.ts';
import { Choice } from './choice.tsx';
import { endsOnlyNow, faceValue, nextStep } from './next-step.ts';
import { SubscriptionSummary } from './subscription-summary.tsx';
import { useSchedule } from './use-schedule.ts';

/** Says what became of a subscription and of its invoices. */
function doneText({ invoices }: { readonly invoices: readonly EndedInvoice[] }): string {
  const paid = invoices.filter(({ outcome }) => outcome === 'paid').length;
  return `The subscription has ended.${paid > 0 ? ' An invoice was paid before it could be voided: refund it if it should be.' : ''}`;
}

interface SubscriptionDialogProps {
  readonly subscription: Subscription;
}

/** Cancels a subscription at the end of its period, or now. */
export function CancelDialog({ subscription }: SubscriptionDialogProps) {
  const onClose = useClose();
  const { billing, key } = useProject();
  const schedule = useSchedule();
  const isOnlyNow = endsOnlyNow(subscription);
  const [isNow, setIsNow] = useState(isOnlyNow);
  const [settled, setSettled] = useState(NOTHING_BILLED);
  const preview = useCancelPreview(subscription, isNow ? settled : NOTHING_BILLED);
  const end = useDialogWrite({
    write: (fields: FormData) =>
      billing.subscriptions.cancelNow(subscription.id, { ...cancellationOf(fields), ...settled }),
    stale: [key()],
    done: doneText,
  });
  const now = { ...end, isPending: end.isPending || preview.isPending };
  const atEnd = {
    isPending: false,
    error: undefined,
    mutate: (fields: FormData) => {
      onClose();
      schedule(subscription, true, cancellationOf(fields));
    },
  };
  return (
    <FormDialog
      title="Cancel the subscription"
      lead={<SubscriptionSummary subscription={subscription} />}
      action={isNow ? 'Cancel now' : 'Cancel at the end of the period'}
      kind="danger"
      write={isNow ? now : atEnd}
      onClose={onClose}
    >
      {isOnlyNow ? (
        <CancelNow subscription={subscription} settled={settled} />
      ) : (
        <fieldset className="stack-s">
          <legend className="visually-hidden">When it ends</legend>
          <Choice title="At the end of the period" chosen={!isNow} onChoose={() => setIsNow(false)}>
            <CancelAtEnd subscription={subscription} />
          </Choice>
          <Choice title="Now" chosen={isNow} onChoose={() => setIsNow(true)}>
            <CancelNow subscription={subscription} settled={settled} />
          </Choice>
        </fieldset>
      )}
      {isNow && <CancelBillingFields billing={settled} onChange={setSettled} preview={preview} />}
      <CancellationFields known={subscription.cancellation} />
    </FormDialog>
  );
}

/** Takes a scheduled cancellation back. */
export function ResumeDialog({ subscription }: SubscriptionDialogProps) {
  const onClose = useClose();
  const schedule = useSchedule();
  const { at, amount } = nextStep({ ...subscription, cancelAtPeriodEnd: false, cancelAt: null });
  const write = {
    isPending: false,
    error: undefined,
    mutate: () => {
      onClose();
      schedule(subscription, false);
    },
  };
  return (
    <ConfirmDialog title="Resume the subscription" action="Resume" isHarmless write={write} onClose={onClose}>
      <div className="stack">
        <SubscriptionSummary subscription={subscription} />
        <p>
          It does not end on <Time at={nextStep(subscription).at} />, but goes on.{' '}
          {amount ? `The next ${amount}, before discounts and taxes, is charged on ` : 'The next charge is due on '}
          <Time at={at} />; nothing is charged today.
        </p>
      </div>
    </ConfirmDialog>
  );
}

interface ConsequencesProps {
  readonly subscription: Subscription;
}

const UNPAID: readonly Subscription['status'][] = ['past_due', 'unpaid', 'incomplete'];

const isMetered = ({ items }: Subscription): boolean => items.some(({ usageType }) => usageType === 'metered');

/** What a cancellation at the end of the period does. */
function CancelAtEnd({ subscription }: ConsequencesProps) {
  const { status, currentPeriodEnd } = subscription;
  const amount = faceValue(subscription);
  const end = <Time at={currentPeriodEnd} />;
  if (status === 'trialing')
    return (
      <p>
        The trial goes on until {end}, then it ends. {amount ? `The first ${amount} is` : 'Nothing is'} not charged.
      </p>
    );
  return (
    <p>
      The customer keeps access until {end}.{' '}
      {amount ? `The ${amount} due then is not charged, nor anything after it.` : 'No further period is charged.'}{' '}
      {isMetered(subscription) && 'What was used until then is billed. '}
      {UNPAID.includes(status) && 'What is open stays to be paid. '}
      {subscription.scheduledChange && 'The scheduled change is dropped. '}
      Nothing is refunded. Until then it can be resumed.
    </p>
  );
}

/** What a cancellation now does. https://docs.stripe.com/billing/subscriptions/cancel */
function CancelNow({ subscription, settled }: ConsequencesProps & { readonly settled: CancelBilling }) {
  const { prorate, invoiceNow, openInvoices } = settled;
  const { status, currentPeriodEnd } = subscription;
  return (
    <p>
      {endsOnlyNow(subscription) && !subscription.cancelAtPeriodEnd
        ? 'The subscription ends at once'
        : 'The customer loses access at once'}
      {status === 'active' && (
        <>
          , although its period runs until <Time at={currentPeriodEnd} />
        </>
      )}
      .{' '}
      {status === 'trialing'
        ? 'The trial ends and nothing is charged.'
        : prorate
          ? 'No money is sent back: the unused part is credited.'
          : invoiceNow
            ? 'Nothing is refunded.'
            : 'Nothing is refunded, and nothing more is charged.'}{' '}
      {isMetered(subscription) && !invoiceNow && 'What was used in this period is not billed. '}
      {UNPAID.includes(status) &&
        openInvoices === 'keep' &&
        'Open invoices stay open, and Stripe stops collecting them. '}
      This can’t be undone.
    </p>
  );
}

/** What the customer says who cancels, as a part of a form. */
const CancellationFields = ({ known }: { readonly known: Subscription['cancellation'] }) => (
  <>
    <SelectField label="Why the customer cancels" name="reason" defaultValue={known?.reason ?? ''}>
      <option value="">Not known</option>
      <Options of={CANCELLATION_REASONS} />
    </SelectField>
    <TextAreaField
      label="What the customer says about it"
      name="comment"
      rows={2}
      maxLength={500}
      defaultValue={known?.comment ?? ''}
    />
  </>
);

/** Returns what such fields say. */
function cancellationOf(fields: FormData): SubscriptionCancel {
  const [reason, comment] = [textOf(fields, 'reason'), textOf(fields, 'comment')];
  return {
    ...(reason !== '' && { reason: reason as CancellationReason }), // the options of the field
    ...(comment !== '' && { comment }),
  };
}
