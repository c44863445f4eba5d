import { Options, QuantityField, SelectField, TextField } from '#ui/field.tsx';
import { AmountTextField } from '#ui/amount-field.tsx';
import { usePriceText } from '../products/price-options.tsx';
import { kindsOf, LINE_KINDS, type Billable, type LineForm, type LineKind } from './line-form.ts';

interface LineFieldsProps {
  readonly line: LineForm;
  readonly billable: Billable;
  readonly currency: string;
  readonly onChange: (line: LineForm) => void;
}

/** What is billed once: what it is, and how much. */
export function LineFields({ line, billable, currency, onChange }: LineFieldsProps) {
  const { kind } = line;
  const set = (changed: Partial<LineForm>) => onChange({ ...line, ...changed });
  const isCounted = kind === 'price' || kind === 'product';
  return (
    <>
      <div className="form-grid">
        <SelectField
          label="Bills"
          value={kind}
          onChange={event => set({ kind: event.target.value as LineKind })} // its options
        >
          <Options of={Object.fromEntries(kindsOf(billable).map(one => [one, LINE_KINDS[one]]))} />
        </SelectField>
        <Billed line={line} billable={billable} set={set} />
      </div>
      <div className="form-grid">
        {isCounted && <QuantityField value={line.quantity} onChange={event => set({ quantity: event.target.value })} />}
        {kind !== 'price' && (
          <AmountTextField
            label={kind === 'product' ? 'Amount of one' : kind === 'reduction' ? 'Amount taken off' : 'Amount'}
            currency={currency}
            text={line.amount}
            onText={amount => set({ amount })}
          />
        )}
      </div>
    </>
  );
}

interface BilledProps extends Pick<LineFieldsProps, 'line' | 'billable'> {
  readonly set: (changed: Partial<LineForm>) => void;
}

/** A choice of the price or the product, or the words on the invoice. */
function Billed({ line: { kind, priceId, productId, description }, billable, set }: BilledProps) {
  const textOf = usePriceText();
  if (kind === 'price')
    return (
      <SelectField label="Price" value={priceId} onChange={event => set({ priceId: event.target.value })}>
        <Options of={Object.fromEntries(billable.prices.map(price => [price.id, textOf(price)]))} />
      </SelectField>
    );
  if (kind === 'product')
    return (
      <SelectField label="Product" value={productId} onChange={event => set({ productId: event.target.value })}>
        <Options of={Object.fromEntries(billable.products.map(({ id, name }) => [id, name]))} />
      </SelectField>
    );
  return (
    <TextField
      label="Description"
      value={description}
      maxLength={500}
      required
      dir="auto"
      hint="As on the invoice."
      onChange={event => set({ description: event.target.value })}
    />
  );
}
