import type { PriceCreate } from '@billing/client';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { MoneyFields, moneyOf } from '#ui/money-fields.tsx';

interface OtherCurrenciesProps {
  /** The currency of the price. */
  readonly own: string;
  /** Begins the names of the fields, where a form has several prices. */
  readonly prefix?: string;
  /** What the service says about them. */
  readonly problem?: string | undefined;
}

/** What a price costs in further currencies: as many amounts as are added. */
export function OtherCurrencies({ own, prefix = '', problem }: OtherCurrenciesProps) {
  /** The numbers of the amounts in the form. */
  const [numbers, setNumbers] = useState<readonly number[]>([]);
  return (
    <>
      {numbers.map(number => (
        <fieldset key={number} className="stack-s">
          <legend className="row">
            In another currency
            <Button small kind="quiet" onClick={() => setNumbers(numbers.filter(one => one !== number))}>
              Remove
            </Button>
          </legend>
          <MoneyFields
            label="Amount"
            prefix={`${prefix}${AMOUNT}${number}-`}
            currency={own === 'eur' ? 'usd' : 'eur'}
            problems={{ amount: number === numbers[0] ? problem : undefined, currency: undefined }}
          />
        </fieldset>
      ))}
      <div>
        <Button small icon="plus" onClick={() => setNumbers([...numbers, Math.max(-1, ...numbers) + 1])}>
          Add a currency
        </Button>
      </div>
    </>
  );
}

/** Begins the names of the fields of an amount, after the prefix of its price. */
const AMOUNT = 'in-';

/**
 * Returns the amounts of such fields, by currency.
 * @throws Error when a currency is there twice
 */
export function otherCurrenciesOf(fields: FormData, prefix = ''): NonNullable<PriceCreate['currencyOptions']> {
  const begin = `${prefix}${AMOUNT}`;
  const names = Array.from(fields.keys()).filter(name => name.startsWith(begin) && name.endsWith('-currency'));
  const amounts = names.map(name => moneyOf(fields, name.slice(0, -'currency'.length)));
  const currencies = amounts.map(({ currency }) => currency);
  const twice = currencies.find((currency, at) => currencies.indexOf(currency) !== at);
  if (twice !== undefined) throw new Error(`The currency ${twice.toUpperCase()} is there twice.`);
  return Object.fromEntries(amounts.map(({ amount: unitAmount, currency }) => [currency, { unitAmount }]));
}
