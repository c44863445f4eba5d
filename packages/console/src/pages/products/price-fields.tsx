import type { PriceCreate } from '@billing/client';
import { useState } from 'react';
import { useProjectDetails } from '#api/project.ts';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { SelectField, TextField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { parseMoney } from '#ui/money.ts';

const RHYTHMS = {
  month: 'Every month',
  year: 'Every year',
  week: 'Every week',
  day: 'Every day',
  once: 'Once',
} as const;
type Rhythm = keyof typeof RHYTHMS;

/** The fields of a price: amount, currency, and how often it is billed. */
export function PriceFields({ problem }: { readonly problem?: string | undefined }) {
  const { baseCurrency } = useProjectDetails();
  const [currency, setCurrency] = useState(baseCurrency);
  const [wrong, setWrong] = useState(false);
  return (
    <>
      <TextField
        label="Amount"
        name="amount"
        inputMode="decimal"
        required
        placeholder="29.00"
        problem={wrong ? 'Write an amount as 29.99.' : problem}
        onBlur={event => setWrong(event.target.value !== '' && parseMoney(event.target.value, currency) === undefined)}
      />
      <CurrencySelect label="Currency" name="currency" value={currency} onChange={setCurrency} />
      <SelectField label="Billed" name="rhythm" defaultValue="month">
        {Object.entries(RHYTHMS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
    </>
  );
}

/**
 * Returns the price that the fields describe.
 * @throws Error when the amount is none
 */
export function readPrice(fields: FormData, productId: string): PriceCreate {
  const currency = textOf(fields, 'currency');
  const unitAmount = parseMoney(textOf(fields, 'amount'), currency);
  if (unitAmount === undefined) throw new Error('Write the amount as 29.99, without a currency sign.');
  const rhythm = textOf(fields, 'rhythm') as Rhythm; // the options of the field
  const price = { productId, unitAmount, currency };
  return rhythm === 'once' ? { ...price, type: 'one_time' } : { ...price, interval: rhythm };
}
