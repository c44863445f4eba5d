import type { PlanChangePreview, Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf, PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { CostSection, Preview } from '#resource/preview.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { describeRefusal } from './describe-refusal.ts';
import { PlanChangePreviewDetails } from './plan-change-preview.tsx';
import { PlanFields } from './plan-fields.tsx';
import { formOf, pricesFor, readPlanForm, type PlanForm } from './plan-form.ts';
import { SubscriptionSummary } from './subscription-summary.tsx';
import { usePlanChange } from './use-plan-change.ts';

/** Changes the plan or the quantity, with what that costs beside the button. */
export function ChangePlanDialog({ subscription }: { readonly subscription: Subscription }) {
  const onClose = useClose();
  const scope = useProject();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const waiting = [products, prices].find(({ data }) => data === undefined);
  const [form, setForm] = useState(() => formOf(subscription));
  const priceOf = (priceId: string) =>
    prices.data?.find(({ id }) => id === priceId) ?? subscription.items.find(item => (item.priceId ?? '') === priceId);
  const wanted = readPlanForm(subscription, form, priceId => priceOf(priceId)?.usageType === 'metered');
  const change = 'change' in wanted ? wanted.change : undefined;
  const { preview, write } = usePlanChange(subscription.id, change);
  if (waiting)
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <Loading query={waiting} />
      </Dialog>
    );

  const sold = new Set<string>(products.data?.filter(({ isActive }) => isActive).map(({ id }) => id));
  const codeProblem = problemsOf(write.error ?? preview.error, ['promotionCode'], PROMOTION_CODE_REFUSALS).of
    .promotionCode;
  const refusal = describeRefusal(write.error, subscription.items[0]?.currency ?? 'usd');
  return (
    <FormDialog
      title={TITLE}
      lead={<SubscriptionSummary subscription={subscription} />}
      action={actionOf(form, preview.data)}
      write={write}
      problems={{ rest: codeProblem || refusal ? undefined : write.error }}
      onClose={onClose}
    >
      <PlanFields
        subscription={subscription}
        prices={pricesFor(subscription, prices.data ?? [], id => sold.has(id))}
        form={form}
        onChange={setForm}
        codeProblem={codeProblem}
      />
      <CostSection>
        {'missing' in wanted ? (
          <p className="muted">{wanted.missing}</p>
        ) : (
          !codeProblem && <Preview query={preview}>{data => <PlanChangePreviewDetails preview={data} />}</Preview>
        )}
      </CostSection>
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}

const TITLE = 'Change the plan';

/** What the button does, with what it costs today. */
function actionOf({ when }: PlanForm, preview: PlanChangePreview | undefined): string {
  if (!preview) return TITLE;
  if (when !== 'now' && new Date(preview.effectiveAt) > new Date()) return 'Change at the end of the period';
  return preview.amountDue > 0 ? `Change now for ${formatMoney(preview.amountDue, preview.currency)}` : 'Change now';
}
