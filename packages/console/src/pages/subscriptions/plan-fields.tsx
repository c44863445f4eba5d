import type { Price, Subscription } from '@billing/client';
import { randomHex } from '#api/random-hex.ts';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { Options, PromotionCodeField, QuantityField, SelectField } from '#ui/field.tsx';
import { usePriceText } from '../products/price-options.tsx';
import { MAX_ROWS, PRORATIONS, TIMES, type PlanForm, type PlanRow } from './plan-form.ts';

/** So few prices are seen and compared all at once. */
const MAX_CHOICES = 6;

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
  const setRow = (changed: PlanRow) => set({ rows: rows.map(row => (row.key === changed.key ? changed : row)) });
  const free = prices.find(({ id }) => !rows.some(({ priceId }) => priceId === id));
  return (
    <>
      {rows.map(row => (
        <RowFields
          key={row.key}
          row={row}
          prices={prices.filter(({ id }) => id === row.priceId || !rows.some(({ priceId }) => priceId === id))}
          item={subscription.items.find(({ processorPriceId }) => processorPriceId === row.key)}
          onChange={setRow}
          {...(rows.length > 1 && { onRemove: () => set({ rows: rows.filter(({ key }) => key !== row.key) }) })}
        />
      ))}
      {free && rows.length < MAX_ROWS && (
        <div className="row">
          <Button
            small
            icon="plus"
            onClick={() => set({ rows: [...rows, { key: randomHex(16), priceId: free.id, quantity: '1' }] })}
          >
            Add an item
          </Button>
        </div>
      )}
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

interface RowFieldsProps {
  readonly row: PlanRow;
  readonly prices: readonly Price[];
  /** The item that the row began with, whose price may not be known here. */
  readonly item: Subscription['items'][number] | undefined;
  readonly onChange: (row: PlanRow) => void;
  /** Absent for the only item. */
  readonly onRemove?: () => void;
}

function RowFields({ row, prices, item, onChange, onRemove }: RowFieldsProps) {
  const { usageType } = prices.find(({ id }) => id === row.priceId) ?? item ?? {};
  const textOf = usePriceText();
  const choices: Readonly<Record<string, string>> = {
    ...(row.priceId === '' && item && { '': `${item.processorPriceId}: ${formatPrice(item)}` }),
    ...Object.fromEntries(prices.map(price => [price.id, textOf(price)])),
  };
  const choose = (priceId: string) => onChange({ ...row, priceId });
  return (
    <div className="form-grid">
      {!onRemove && Object.keys(choices).length <= MAX_CHOICES ? (
        <fieldset className="field">
          <legend>Price</legend>
          <div className="stack-s">
            {Object.entries(choices).map(([id, text]) => (
              <label key={id} className="check">
                <input type="radio" name={row.key} checked={id === row.priceId} onChange={() => choose(id)} />
                {text}
              </label>
            ))}
          </div>
        </fieldset>
      ) : (
        <SelectField label="Price" value={row.priceId} onChange={event => choose(event.target.value)}>
          <Options of={choices} />
        </SelectField>
      )}
      {usageType !== 'metered' && (
        <QuantityField value={row.quantity} onChange={event => onChange({ ...row, quantity: event.target.value })} />
      )}
      {onRemove && (
        <div className="row">
          <Button small onClick={onRemove}>
            Remove the item
          </Button>
        </div>
      )}
    </div>
  );
}
