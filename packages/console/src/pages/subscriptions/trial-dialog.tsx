import type { PlanChange, Subscription } from '@billing/client';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { CostSection, Preview } from '#resource/preview.tsx';
import { usePreviewedWrite } from '#resource/use-previewed-write.ts';
import { useDialogWrite } from '#resource/write-dialogs.tsx';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice, textOf } from '#ui/form.tsx';
import { editedTime, localText } from '#ui/local-text.ts';
import { formatMoney } from '#ui/money.ts';
import { useNow } from '#ui/time.tsx';
import { Choice } from './choice.tsx';
import { describeRefusal } from './describe-refusal.ts';
import { DueDetails } from './due-details.tsx';
import { SubscriptionSummary } from './subscription-summary.tsx';

/** Gives the trial of a subscription another end, or ends it now, with what that charges. */
export function TrialDialog({ subscription }: { readonly subscription: Subscription }) {
  const { billing, key } = useProject();
  const onClose = useClose();
  const { id, trialEnd, items } = subscription;
  const [isNow, setIsNow] = useState(false);
  const now = useNow();
  const { preview, write: end } = useEndOfTrial(id, isNow ? END_NOW : undefined);
  const move = useDialogWrite({
    write: async (fields: FormData) => {
      const at = editedTime(textOf(fields, 'trialEnd'), trialEnd);
      return at === null ? undefined : billing.subscriptions.setTrialEnd(id, at);
    },
    stale: [key('subscriptions'), key('state')],
    done: 'The trial has another end.',
  });
  const { amountDue = 0, currency = items[0]?.currency ?? 'usd' } = preview.data ?? {};
  const refusal = isNow ? describeRefusal(end.error, currency) : undefined;
  const moved = problemsOf(move.error, ['trialEnd']);
  return (
    <FormDialog
      title="Change the trial"
      lead={<SubscriptionSummary subscription={subscription} />}
      action={
        !isNow
          ? 'Move the end'
          : amountDue > 0
            ? `End the trial for ${formatMoney(amountDue, currency)}`
            : 'End the trial'
      }
      write={isNow ? end : move}
      problems={{ rest: isNow ? !refusal && end.error : moved.rest }}
      onClose={onClose}
    >
      <fieldset className="stack-s">
        <legend className="visually-hidden">When the trial ends</legend>
        <Choice title="At another time" chosen={!isNow} onChoose={() => setIsNow(false)}>
          <p>Nothing is charged before.</p>
        </Choice>
        <Choice title="Now" chosen={isNow} onChoose={() => setIsNow(true)}>
          <p>The first period begins, and is charged.</p>
        </Choice>
      </fieldset>
      {isNow ? (
        <CostSection>
          <Preview query={preview}>{data => <DueDetails preview={data} />}</Preview>
        </CostSection>
      ) : (
        <TextField
          label="The trial ends"
          name="trialEnd"
          type="datetime-local"
          required
          min={localText(now)}
          defaultValue={trialEnd ? localText(new Date(trialEnd)) : undefined}
          hint="At most two years ahead."
          problem={moved.of.trialEnd}
        />
      )}
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}

const END_NOW: PlanChange = { trial: 'end' };

/** What the end of a trial costs, and what ends it for that. */
function useEndOfTrial(subscriptionId: string, wanted: PlanChange | undefined) {
  const { billing, key } = useProject();
  return usePreviewedWrite({
    queryKey: key('plan-change-preview', subscriptionId),
    wanted,
    costOf: it => it,
    read: (change, signal) => billing.subscriptions.previewChange(subscriptionId, change, { signal }),
    pin: (_, preview) => preview?.amountDue,
    send: amountDue => billing.subscriptions.setTrialEnd(subscriptionId, null, amountDue),
    stale: [key('subscriptions'), key('invoices'), key('payments'), key('state')],
    done: 'The trial has ended.',
    onDone: useClose(),
  });
}
