import { decimalsOf, isWholeCurrency } from '@billing/client';
import { useEffect, useRef, useState } from 'react';
import { TextField } from './field.tsx';
import { textOf } from './form.tsx';
import { formatMoney } from './money.ts';
import { parseMoney } from './parse-money.ts';
import { READER_LOCALE } from './reader-locale.ts';

interface AmountProps {
  readonly label: string;
  readonly name?: string;
  readonly currency: string;
  readonly required?: boolean;
  /** What the service says about it. */
  readonly problem?: string | undefined;
}

interface AmountTextFieldProps extends AmountProps {
  /** As it is written; the form keeps it. */
  readonly text: string;
  readonly onText: (text: string) => void;
}

/**
 * An amount as people write it. It is checked on submit, which a wrong one stops, in the field itself; the hint shows how it
 * is read.
 */
export function AmountTextField(props: AmountTextFieldProps) {
  const { label, name, currency, required = true, problem, text, onText } = props;
  const input = useRef<HTMLInputElement>(null);
  const [isRefused, setRefused] = useState(false);
  const parsed = text.trim() === '' && !required ? { amount: undefined } : parseMoney(text, currency);
  const wrong = 'problem' in parsed ? parsed.problem : undefined;
  useEffect(() => input.current?.setCustomValidity(wrong ?? ''), [input, wrong]);
  return (
    <TextField
      ref={input}
      label={label}
      name={name}
      inputMode={isWholeCurrency(currency) ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={text}
      onChange={event => {
        onText(event.target.value);
        setRefused(false);
      }}
      onInvalid={event => {
        event.preventDefault();
        setRefused(true);
        if (event.currentTarget.form?.querySelector('input:invalid') === event.currentTarget)
          event.currentTarget.focus();
      }}
      hint={parsed.amount !== undefined && formatMoney(parsed.amount, currency)}
      problem={(isRefused ? wrong : undefined) ?? problem}
    />
  );
}

interface AmountFieldProps extends AmountProps {
  readonly name: string;
  /** In the currency's smallest unit. */
  readonly defaultAmount?: number;
}

/** The same, which keeps its text itself. */
export function AmountField({ defaultAmount, ...field }: AmountFieldProps) {
  const [text, setText] = useState(defaultAmount === undefined ? '' : asTyped(defaultAmount, field.currency));
  return <AmountTextField {...field} text={text} onText={setText} />;
}

/** Writes an amount as its field shows it, without a currency: 2999 usd is 29.99. */
function asTyped(amount: number, currency: string): string {
  const decimals = isWholeCurrency(currency) ? 0 : decimalsOf(currency);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  return new Intl.NumberFormat(READER_LOCALE, digits).format(amount / 10 ** decimalsOf(currency));
}

/**
 * Returns the amount of a field in the currency's smallest unit; undefined where nothing is written.
 * @throws Error for what the field does not let through
 */
export function amountOf(fields: FormData, name: string, currency: string): number | undefined {
  const text = textOf(fields, name);
  if (text === '') return undefined;
  const { amount, problem } = parseMoney(text, currency);
  if (problem !== undefined) throw new Error(problem);
  return amount;
}
