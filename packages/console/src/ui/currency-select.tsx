import { SelectField } from './field.tsx';

/** Offered in lists; every other ISO 4217 code is in the API. */
const CODES =
  'usd eur gbp aud brl cad chf cny czk dkk hkd huf ils inr jpy krw mxn nok nzd pln ron sek sgd thb try zar'.split(' ');
const NAMES = new Intl.DisplayNames(undefined, { type: 'currency' });

interface CurrencySelectProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (currency: string) => void;
}

/** A choice of currencies; one that the project already uses is always among them. */
export function CurrencySelect({ onChange, ...select }: CurrencySelectProps) {
  const current = select.value ?? select.defaultValue;
  const codes = current === undefined || CODES.includes(current) ? CODES : [current, ...CODES];
  return (
    <SelectField {...select} onChange={event => onChange?.(event.target.value)}>
      {codes.map(code => (
        <option key={code} value={code}>
          {code.toUpperCase()} – {NAMES.of(code.toUpperCase())}
        </option>
      ))}
    </SelectField>
  );
}
