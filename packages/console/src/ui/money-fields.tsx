import { useState } from 'react';
import { AmountField, amountOf } from './amount-field.tsx';
import { CurrencySelect } from './currency-select.tsx';
import { textOf } from './form.tsx';

interface MoneyFieldsProps {
  readonly label: string;
  /** The currency that is chosen at first. */
  readonly currency: string;
  readonly required?: boolean;
  /** Begins the names of the fields, where a form has several amounts. */
  readonly prefix?: string;
  /** What the service says about each. */
  readonly problems: Readonly<Record<'amount' | 'currency', string | undefined>>;
}

/** An amount and its currency. */
export function MoneyFields({ label, currency: first, required = true, prefix = '', problems }: MoneyFieldsProps) {
  const [currency, setCurrency] = useState(first);
  return (
    <div className="form-grid">
      <AmountField
        label={label}
        name={`${prefix}amount`}
        currency={currency}
        required={required}
        problem={problems.amount}
      />
      <CurrencySelect
        label="Currency"
        name={`${prefix}currency`}
        value={currency}
        onChange={setCurrency}
        problem={problems.currency}
      />
    </div>
  );
}

/**
 * Returns the amount and the currency of such fields.
 * @throws Error for an amount that its field does not let through, or none
 */
export function moneyOf(fields: FormData, prefix = ''): { readonly amount: number; readonly currency: string } {
  const currency = textOf(fields, `${prefix}currency`);
  const amount = amountOf(fields, `${prefix}amount`, currency);
  if (amount === undefined) throw new Error('Write an amount.');
  return { amount, currency };
}
