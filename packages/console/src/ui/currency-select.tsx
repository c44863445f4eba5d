import { PROCESSOR_CURRENCIES } from '@billing/client';
import { Options, SelectField } from './field.tsx';

const NAMES = new Intl.DisplayNames('en', { type: 'currency' });

interface CurrencySelectProps {
  readonly label: string;
  readonly name?: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (currency: string) => void;
}

/** A choice of the processor's currencies; one that the project already uses is always among them. */
export function CurrencySelect({ onChange, ...select }: CurrencySelectProps) {
  const current = select.value ?? select.defaultValue;
  const codes =
    current === undefined || PROCESSOR_CURRENCIES.includes(current)
      ? PROCESSOR_CURRENCIES
      : [current, ...PROCESSOR_CURRENCIES];
  const names = codes.map(code => [code, `${code.toUpperCase()} – ${NAMES.of(code.toUpperCase())}`]);
  return (
    <SelectField {...select} onChange={event => onChange?.(event.target.value)}>
      <Options of={Object.fromEntries(names)} />
    </SelectField>
  );
}
