import type { Price } from '@billing/client';
import { Options, PromotionCodeField, SelectField, TextField } from '#ui/field.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';
import { MAX_DAYS_UNTIL_DUE } from '../invoices/invoice-form.ts';
import { PriceRows } from '../products/price-rows.tsx';
import {
  COLLECTIONS,
  currenciesOf,
  MAX_TRIAL_DAYS,
  sellsSubscription,
  TRIAL_ENDS,
  type Collection,
  type SaleForm,
} from './sale-form.ts';

interface SaleFieldsProps {
  readonly form: SaleForm;
  /** What is for sale. */
  readonly prices: readonly Price[];
  readonly onChange: (form: SaleForm) => void;
  /** Whether the reader chooses the customer. */
  readonly choosesCustomer: boolean;
  /** Whether the reader chooses how it is collected. */
  readonly choosesCollection: boolean;
  /** What is wrong with the promotion code. */
  readonly codeProblem: string | undefined;
}

/** The fields of a sale: to whom, what, on which terms, and how it is collected. */
export function SaleFields(props: SaleFieldsProps) {
  const { form, prices, onChange, choosesCustomer, choosesCollection, codeProblem } = props;
  const set = (changed: Partial<SaleForm>) => onChange({ ...form, ...changed });
  const isSubscription = sellsSubscription(form, prices);
  return (
    <>
      {choosesCustomer && (
        <CustomerSelect
          label="Customer"
          none="Choose the customer"
          required
          onChange={customerId => set({ customerId })}
        />
      )}
      <PriceRows rows={form.rows} prices={prices} onChange={rows => set({ rows })} />
      <CurrencyChoice form={form} prices={prices} set={set} />
      {choosesCollection && <CollectionFields form={form} set={set} />}
      {isSubscription && <TrialFields form={form} set={set} />}
      <PromotionCodeField
        value={form.promotionCode}
        onChange={event => set({ promotionCode: event.target.value })}
        problem={codeProblem}
      />
      <div className="stack-s">
        <label className="check">
          <input
            type="checkbox"
            checked={form.isOncePerCustomer}
            onChange={event => set({ isOncePerCustomer: event.target.checked })}
          />
          Only if the customer has no subscription to the same product
        </label>
        {isSubscription && form.collect === 'page' && (
          <label className="check">
            <input
              type="checkbox"
              checked={form.asksForMethod}
              onChange={event => set({ asksForMethod: event.target.checked })}
            />
            Ask for a payment method also when nothing is due
          </label>
        )}
      </div>
    </>
  );
}

interface PartProps {
  readonly form: SaleForm;
  readonly set: (changed: Partial<SaleForm>) => void;
}

/** A choice among the currencies that all prices have, where there are several. */
function CurrencyChoice({ form, prices, set }: PartProps & Pick<SaleFieldsProps, 'prices'>) {
  const currencies = currenciesOf(form, prices);
  if (currencies.length < 2) return null;
  return (
    <SelectField
      label="Currency"
      value={currencies.includes(form.currency) ? form.currency : currencies[0]}
      onChange={event => set({ currency: event.target.value })}
    >
      <Options of={Object.fromEntries(currencies.map(code => [code, code.toUpperCase()]))} />
    </SelectField>
  );
}

const HOW: Readonly<Record<Collection, string>> = {
  saved: 'To the saved payment method.',
  invoice: 'Stripe mails it, and each one after it.',
  page: 'The customer subscribes there.',
  nothing: 'It needs that nothing is due now.',
};

function CollectionFields({ form: { collect, daysUntilDue }, set }: PartProps) {
  return (
    <div className="form-grid">
      <SelectField
        label="Collect"
        value={collect}
        hint={HOW[collect]}
        onChange={event => set({ collect: event.target.value as Collection })} // its options
      >
        <Options of={COLLECTIONS} />
      </SelectField>
      {collect === 'invoice' && (
        <TextField
          label="Due in days"
          type="number"
          min={0}
          max={MAX_DAYS_UNTIL_DUE}
          required
          value={daysUntilDue}
          onChange={event => set({ daysUntilDue: event.target.value })}
        />
      )}
    </div>
  );
}

function TrialFields({ form: { trialDays, trialEnd, collect }, set }: PartProps) {
  return (
    <div className="form-grid">
      <TextField
        label="Free trial, in days"
        type="number"
        min={1}
        max={MAX_TRIAL_DAYS}
        placeholder="None"
        value={trialDays}
        onChange={event => set({ trialDays: event.target.value })}
      />
      {trialDays.trim() !== '' && collect !== 'invoice' && (
        <SelectField
          label="If it ends without a payment method"
          value={trialEnd}
          onChange={event => set({ trialEnd: event.target.value as SaleForm['trialEnd'] })} // its options
        >
          <Options of={TRIAL_ENDS} />
        </SelectField>
      )}
    </div>
  );
}
