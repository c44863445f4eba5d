import type { Price, PriceCreate } from '@billing/client';
import { useState } from 'react';
import { useProjectDetails } from '#api/project.ts';
import { Options, SelectField, TextField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { MoneyFields, moneyOf } from '#ui/money-fields.tsx';
import { OtherCurrencies, otherCurrenciesOf } from './other-currencies.tsx';

type Interval = NonNullable<PriceCreate['interval']>;

const UNITS: Readonly<Record<Interval, string>> = { day: 'Days', week: 'Weeks', month: 'Months', year: 'Years' };
/** The usual intervals, as count and unit. */
const RHYTHMS = {
  '1 month': 'Every month',
  '3 month': 'Every 3 months',
  '6 month': 'Every 6 months',
  '1 year': 'Every year',
  '1 week': 'Every week',
  '1 day': 'Every day',
  other: 'At another interval',
  once: 'Once',
} as const;

/** Whether the amount of a price contains the tax that Stripe computes. */
export const TAX_BEHAVIORS: Readonly<Record<Price['taxBehavior'], string>> = {
  unspecified: 'As the Stripe account has it',
  exclusive: 'Plus tax',
  inclusive: 'Tax included',
};

/** The fields of a price that the service may find wrong, each in its place. */
export const PRICE_FIELDS = ['unitAmount', 'currency', 'currencyOptions', 'intervalCount'] as const;

interface PriceFieldsProps {
  readonly problems: Readonly<Partial<Record<(typeof PRICE_FIELDS)[number], string>>>;
  /** Begins the names of the fields, where a form has several prices. */
  readonly prefix?: string;
}

/** The fields of a price: amounts and their currencies, how often it is billed, and its tax. */
export function PriceFields({ problems, prefix = '' }: PriceFieldsProps) {
  const { baseCurrency } = useProjectDetails();
  const [rhythm, setRhythm] = useState<string>('1 month');
  return (
    <>
      <MoneyFields
        label="Amount"
        prefix={prefix}
        currency={baseCurrency}
        problems={{ amount: problems.unitAmount, currency: problems.currency }}
      />
      <OtherCurrencies own={baseCurrency} prefix={prefix} problem={problems.currencyOptions} />
      <SelectField
        label="Billed"
        name={`${prefix}rhythm`}
        value={rhythm}
        onChange={event => setRhythm(event.target.value)}
        problem={rhythm === 'other' ? undefined : problems.intervalCount}
      >
        <Options of={RHYTHMS} />
      </SelectField>
      {rhythm === 'other' && (
        <div className="form-grid">
          <TextField
            label="Every"
            name={`${prefix}intervalCount`}
            type="number"
            min={1}
            required
            defaultValue={2}
            hint="Three years at most."
            problem={problems.intervalCount}
          />
          <SelectField label="Unit" name={`${prefix}interval`} defaultValue="month">
            <Options of={UNITS} />
          </SelectField>
        </div>
      )}
      <SelectField label="Tax" name={`${prefix}taxBehavior`} hint="It can be set once.">
        <Options of={TAX_BEHAVIORS} />
      </SelectField>
    </>
  );
}

/**
 * Returns the price that the fields describe.
 * @throws Error when the amount is none, which its field does not let through, or a currency is there twice
 */
export function readPrice(fields: FormData, productId: string, prefix = ''): PriceCreate {
  const { amount: unitAmount, currency } = moneyOf(fields, prefix);
  const textIn = (name: string) => textOf(fields, `${prefix}${name}`);
  // One of the options.
  const taxBehavior = textIn('taxBehavior') as Price['taxBehavior'];
  const currencyOptions = otherCurrenciesOf(fields, prefix);
  const price = { productId, unitAmount, currency, currencyOptions, taxBehavior };
  const rhythm = textIn('rhythm');
  if (rhythm === 'once') return { ...price, type: 'one_time' };
  const [count, interval] = rhythm === 'other' ? [textIn('intervalCount'), textIn('interval')] : rhythm.split(' ');
  return { ...price, interval: interval as Interval, intervalCount: Number(count) }; // the options of the fields
}
