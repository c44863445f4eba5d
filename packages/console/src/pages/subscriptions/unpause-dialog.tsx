import type { ResumePreview, Subscription, SubscriptionResume } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { CostSection, Preview } from '#resource/preview.tsx';
import { usePreviewedWrite } from '#resource/use-previewed-write.ts';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { Time } from '#ui/time.tsx';
import { Choice } from './choice.tsx';
import { describeRefusal } from './describe-refusal.ts';
import { DueDetails } from './due-details.tsx';
import { SubscriptionSummary } from './subscription-summary.tsx';

interface UnpauseDialogProps {
  readonly subscription: Subscription;
}

/** Resumes a subscription whose payments are paused, or whose trial has ended without a payment method, with what that charges. */
export function UnpauseDialog({ subscription }: UnpauseDialogProps) {
  const onClose = useClose();
  const { id, status, paused, items, currentPeriodEnd } = subscription;
  const [billingCycle, setBillingCycle] = useState<Cycle>('keep');
  const isCollection = status !== 'paused';
  const { preview, write } = useResume(id, { billingCycle });
  const { amountDue = 0, currency = items[0]?.currency ?? 'usd' } = preview.data ?? {};
  const refusal = describeRefusal(write.error, currency);
  return (
    <FormDialog
      title={isCollection ? 'Resume the payments' : 'Resume the subscription'}
      lead={<SubscriptionSummary subscription={subscription} />}
      action={amountDue > 0 ? `Resume for ${formatMoney(amountDue, currency)}` : 'Resume'}
      write={write}
      problems={{ rest: refusal ? undefined : write.error }}
      onClose={onClose}
    >
      {isCollection ? (
        <p>
          The next period is charged on <Time at={currentPeriodEnd} />.{' '}
          {paused?.invoices === 'keep_as_draft' && 'Drafts of the pause stay as they are: charge or delete them.'}
        </p>
      ) : (
        <fieldset className="stack-s">
          <legend className="visually-hidden">Its billing day</legend>
          <Choice
            title="Keep the billing day"
            chosen={billingCycle === 'keep'}
            onChoose={() => setBillingCycle('keep')}
          >
            <p>The rest of the period is charged.</p>
          </Choice>
          <Choice title="Begin today" chosen={billingCycle === 'restart'} onChoose={() => setBillingCycle('restart')}>
            <p>A whole period is charged, and each one after it on this day.</p>
          </Choice>
        </fieldset>
      )}
      <CostSection>
        <Preview query={preview}>{data => <DueDetails preview={data} />}</Preview>
      </CostSection>
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}

type Cycle = NonNullable<SubscriptionResume['billingCycle']>;

function useResume(subscriptionId: string, wanted: SubscriptionResume) {
  const { billing, key } = useProject();
  return usePreviewedWrite({
    queryKey: key('resume-preview', subscriptionId),
    wanted,
    costOf: it => it,
    read: (resume, signal) => billing.subscriptions.previewUnpause(subscriptionId, resume, { signal }),
    pin: (resume, preview: ResumePreview | undefined) => ({ ...resume, expectedAmountDue: preview?.amountDue }),
    send: (resume, options) => billing.subscriptions.unpause(subscriptionId, resume, options),
    stale: [key('subscriptions'), key('invoices'), key('payments'), key('state')],
    done: 'The subscription goes on.',
    onDone: useClose(),
  });
}
