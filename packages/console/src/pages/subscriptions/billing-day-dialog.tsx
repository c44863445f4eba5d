import type { PlanChange, Subscription } from '@billing/client';
import { useClose } from '#resource/dialog-button.tsx';
import { CostSection, Preview } from '#resource/preview.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { describeRefusal } from './describe-refusal.ts';
import { PlanChangePreviewDetails } from './plan-change-preview.tsx';
import { SubscriptionSummary } from './subscription-summary.tsx';
import { usePlanChange } from './use-plan-change.ts';

const FROM_TODAY: PlanChange = { billingCycle: 'restart' };

/** Has the periods of a subscription begin anew today, with what that costs beside the button. */
export function BillingDayDialog({ subscription }: { readonly subscription: Subscription }) {
  const { preview, write } = usePlanChange(subscription.id, FROM_TODAY);
  const { amountDue = 0, currency = subscription.items[0]?.currency ?? 'usd' } = preview.data ?? {};
  const refusal = describeRefusal(write.error, currency);
  return (
    <FormDialog
      title="New billing day"
      lead={<SubscriptionSummary subscription={subscription} />}
      action={amountDue > 0 ? `Begin today for ${formatMoney(amountDue, currency)}` : 'Begin today'}
      write={write}
      problems={{ rest: refusal ? undefined : write.error }}
      onClose={useClose()}
    >
      <p>
        A period begins today, and so does each one after it on this day. It is charged now as a whole, less the unused
        part of the current one.
      </p>
      <CostSection>
        <Preview query={preview}>{data => <PlanChangePreviewDetails preview={data} />}</Preview>
      </CostSection>
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}
