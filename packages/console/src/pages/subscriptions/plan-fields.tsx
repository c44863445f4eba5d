import type { Price, Subscription } from '@billing/client';
import { Options, PromotionCodeField, SelectField } from '#ui/field.tsx';
import { PriceRows } from '../products/price-rows.tsx';
import { PRORATIONS, TIMES, type PlanForm } from './plan-form.ts';

interface PlanFieldsProps {
  readonly subscription: Subscription;
  /** What an item can change to. */
  readonly prices: readonly Price[];
  readonly form: PlanForm;
  readonly onChange: (form: PlanForm) => void;
  /** What is wrong with the promotion code. */
  readonly codeProblem: string | undefined;
}

/** The fields of a plan change: what the subscription is to have, from when on, and how that is billed. */
export function PlanFields({ subscription, prices, form, onChange, codeProblem }: PlanFieldsProps) {
  const { rows, when, proration, promotionCode, endsTrial } = form;
  const isTrial = subscription.status === 'trialing';
  const set = (changed: Partial<PlanForm>) => onChange({ ...form, ...changed });
  return (
    <>
      <PriceRows
        rows={rows}
        prices={prices}
        itemOf={key => subscription.items.find(({ processorPriceId }) => processorPriceId === key)}
        onChange={changed => set({ rows: changed })}
      />
      <div className="form-grid">
        <SelectField
          label="It takes effect"
          value={when}
          onChange={event => set({ when: event.target.value as PlanForm['when'] })} // its options
        >
          <Options of={TIMES} />
        </SelectField>
        {when === 'now' && (!isTrial || endsTrial) && (
          <SelectField
            label="The rest of the period is billed"
            value={proration}
            onChange={event => set({ proration: event.target.value as PlanForm['proration'] })} // its options
          >
            <Options of={PRORATIONS} />
          </SelectField>
        )}
      </div>
      {isTrial && when === 'now' && (
        <label className="check">
          <input type="checkbox" checked={endsTrial} onChange={event => set({ endsTrial: event.target.checked })} />
          End the trial, and charge now
        </label>
      )}
      <PromotionCodeField
        value={promotionCode}
        onChange={event => set({ promotionCode: event.target.value })}
        hint="Discounts that the subscription has stay."
        problem={codeProblem}
      />
    </>
  );
}
