import type { Price, Subscription } from '@billing/client';
import { randomHex } from '#api/random-hex.ts';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { Options, QuantityField, SelectField } from '#ui/field.tsx';
import { usePriceText } from './price-options.tsx';
import type { PriceRow } from './price-row.ts';

/** So few prices are seen and compared all at once. */
const MAX_CHOICES = 6;
/** As many items as a subscription or a sale can have. */
const MAX_ROWS = 20;

type Item = Subscription['items'][number];

interface PriceRowsProps {
  readonly rows: readonly PriceRow[];
  /** What there is to choose from. */
  readonly prices: readonly Price[];
  /** Returns the item that a row began with, whose price may not be known here. */
  readonly itemOf?: (key: string) => Item | undefined;
  readonly onChange: (rows: readonly PriceRow[]) => void;
}

/** Prices with their quantities, each price once, as a part of a form. */
export function PriceRows({ rows, prices, itemOf, onChange }: PriceRowsProps) {
  const isFree = ({ id }: Price) => !rows.some(({ priceId }) => priceId === id);
  const free = prices.find(isFree);
  return (
    <>
      {rows.map(row => (
        <RowFields
          key={row.key}
          row={row}
          prices={prices.filter(price => price.id === row.priceId || isFree(price))}
          item={itemOf?.(row.key)}
          onChange={changed => onChange(rows.map(one => (one.key === changed.key ? changed : one)))}
          {...(rows.length > 1 && { onRemove: () => onChange(rows.filter(({ key }) => key !== row.key)) })}
        />
      ))}
      {free && rows.length < MAX_ROWS && (
        <div className="row">
          <Button
            small
            icon="plus"
            onClick={() => onChange([...rows, { key: randomHex(16), priceId: free.id, quantity: '1' }])}
          >
            Add an item
          </Button>
        </div>
      )}
    </>
  );
}

interface RowFieldsProps {
  readonly row: PriceRow;
  readonly prices: readonly Price[];
  /** The item that the row began with, whose price may not be known here. */
  readonly item: Item | undefined;
  readonly onChange: (row: PriceRow) => void;
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
