import { BillingError, type PlanChange, type PlanChangePreview, type Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf, PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { randomHex } from '#api/random-hex.ts';
import { Loading } from '#layout/loading.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { Preview } from '#resource/preview.tsx';
import { usePreview } from '#resource/use-preview.ts';
import { useDialogWrite } from '#resource/write-dialogs.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { describeDecline } from '../failing-payments/failure-words.ts';
import { PlanChangePreviewDetails } from './plan-change-preview.tsx';
import { PlanFields } from './plan-fields.tsx';
import { formOf, pricesFor, readPlanForm, type PlanForm } from './plan-form.ts';
import { SubscriptionSummary } from './subscription-summary.tsx';

/** Changes the plan or the quantity, with what that costs beside the button. */
export function ChangePlanDialog({ subscription }: { readonly subscription: Subscription }) {
  const onClose = useClose();
  const scope = useProject();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const waiting = [products, prices].find(({ data }) => data === undefined);
  // What it is changed from stays, also when the subscription is read again.
  const [before] = useState(subscription);
  const [form, setForm] = useState(() => formOf(before));
  const priceOf = (priceId: string) =>
    prices.data?.find(({ id }) => id === priceId) ?? before.items.find(item => (item.priceId ?? '') === priceId);
  const wanted = readPlanForm(before, form, priceId => priceOf(priceId)?.usageType === 'metered');
  const change = 'change' in wanted ? wanted.change : undefined;
  const { preview, write } = useChange(subscription.id, change);
  if (waiting)
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <Loading query={waiting} />
      </Dialog>
    );

  const sold = new Set<string>(products.data?.filter(({ isActive }) => isActive).map(({ id }) => id));
  const codeProblem = problemsOf(write.error ?? preview.error, ['promotionCode'], PROMOTION_CODE_REFUSALS).of
    .promotionCode;
  const refusal = describeRefusal(write.error, before.items[0]?.currency ?? 'usd');
  return (
    <FormDialog
      title={TITLE}
      lead={<SubscriptionSummary subscription={subscription} />}
      action={actionOf(form, preview.data?.preview)}
      write={write}
      problems={{ rest: codeProblem || refusal ? undefined : write.error }}
      onClose={onClose}
    >
      <PlanFields
        subscription={before}
        prices={pricesFor(before, prices.data ?? [], id => sold.has(id))}
        form={form}
        onChange={setForm}
        codeProblem={codeProblem}
      />
      <section className="stack-s" aria-label="What it costs">
        {'missing' in wanted ? (
          <p className="muted">{wanted.missing}</p>
        ) : (
          !codeProblem && (
            <Preview query={preview}>{data => <PlanChangePreviewDetails preview={data.preview} />}</Preview>
          )
        )}
      </section>
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}

/** Says why a change was refused, for the reasons that have their own words: what happened, and what to do. */
function describeRefusal(error: unknown, currency: string) {
  if (!(error instanceof BillingError)) return undefined;
  const { requestId } = error;
  const says = (children: string) => ({ requestId, children: `${children} Nothing was changed.` });
  const again = 'Look at the new preview, and confirm it.';
  if (error.is('preview_expired')) return says(`The preview was too old. ${again}`);
  if (error.is('amount_changed')) {
    const { expected, actual } = error.details;
    const money = (amount: number) => formatMoney(amount, currency);
    return says(`It costs ${money(actual)} today, and not ${money(expected)} any more. ${again}`);
  }
  const why = describeDecline(error);
  return why && says(`${why} Have the customer choose another payment method in the portal, and try again.`);
}

const TITLE = 'Change the plan';

/** What the button does, with what it costs today. */
function actionOf({ when }: PlanForm, preview: PlanChangePreview | undefined): string {
  if (!preview) return TITLE;
  if (when !== 'now' && new Date(preview.effectiveAt) > new Date()) return 'Change at the end of the period';
  return preview.amountDue > 0 ? `Change now for ${formatMoney(preview.amountDue, preview.currency)}` : 'Change now';
}

/** The preview of a change, and what makes that change for the previewed amount. */
function useChange(subscriptionId: string, change: PlanChange | undefined) {
  const { billing, key } = useProject();
  const preview = usePreview({
    queryKey: key('plan-change-preview', subscriptionId),
    wanted: change,
    read: async (wanted, signal) => ({
      preview: await billing.subscriptions.previewChange(subscriptionId, wanted, { signal }),
      // Sent again because its response was lost, it is the same change.
      idempotencyKey: randomHex(32),
    }),
  });
  const make = useDialogWrite({
    write: async ({
      previewed,
      made,
    }: {
      readonly previewed: NonNullable<typeof preview.data>;
      readonly made: PlanChange;
    }) => {
      const { prorationDate, amountDue } = previewed.preview;
      const pinned = { ...made, ...(prorationDate && { prorationDate }), expectedAmountDue: amountDue };
      try {
        return await billing.subscriptions.change(subscriptionId, pinned, { idempotencyKey: previewed.idempotencyKey });
      } catch (error) {
        // What it costs may have changed.
        void preview.refetch();
        throw error;
      }
    },
    stale: [key('subscriptions'), key('invoices'), key('payments')],
    done: ({ change: { status } }) => DONE[status],
  });
  const mutate = () => {
    if (change && preview.data) make.mutate({ previewed: preview.data, made: change });
  };
  return {
    preview,
    write: {
      isPending: make.isPending || preview.isPending,
      // Another change was not refused.
      error: JSON.stringify(make.variables?.made) === JSON.stringify(change) ? make.error : null,
      mutate,
    },
  };
}

const DONE = {
  applied: 'The plan is changed.',
  scheduled: 'The plan changes at the end of the period.',
  pending_payment: 'The change waits for the payment of the customer.',
} as const;
