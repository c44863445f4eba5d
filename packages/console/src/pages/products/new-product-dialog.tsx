import type { Product } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { metadata } from '#resource/fields.tsx';
import { wordsOf, WriteDialog } from '#resource/write-dialogs.tsx';
import { Button } from '#ui/button.tsx';
import { metadataOf } from '#ui/metadata-fields.tsx';
import { KEY_REFUSALS, keyField, keyOf } from './key-field.ts';
import { PRICE_FIELDS, PriceFields, readPrice } from './price-fields.tsx';
import { NAME_FIELD, PRODUCT_REFUSALS, TEXT_FIELDS, textsOf } from './product-dialog.tsx';

/** What an earlier try has created, before a price was refused. */
interface Created {
  readonly product: Product | undefined;
  /** The numbers of the prices that are created. */
  readonly prices: readonly number[];
}

const NOTHING: Created = { product: undefined, prices: [] };

/** Creates a product together with its prices. After a refusal, another try goes on from where it stopped. */
export function NewProductDialog() {
  const { billing, key } = useProject();
  /** The numbers of the prices in the form. */
  const [numbers, setNumbers] = useState<readonly number[]>([0]);
  const [created, setCreated] = useState(NOTHING);
  const open = numbers.filter(number => !created.prices.includes(number));
  const words = wordsOf('product', true);
  return (
    <WriteDialog
      {...words}
      write={async fields => {
        // A price that can't be read leaves no product without one.
        const prices = open.map(number => ({ number, price: readPrice(fields, '', prefixOf(number)) }));
        const given = { ...textsOf(fields), ...keyOf(fields), metadata: metadataOf(fields) };
        const product = created.product
          ? await billing.products.update(created.product.id, given)
          : await billing.products.create(given);
        setCreated(known => ({ ...known, product }));
        for (const { number, price } of prices) {
          await billing.prices.create({ ...price, productId: product.id });
          setCreated(known => ({ ...known, prices: [...known.prices, number] }));
        }
        return product;
      }}
      stale={[key('products'), key('prices')]}
      done={`${words.done}, here and in Stripe.`}
      refusals={{ ...PRODUCT_REFUSALS, ...KEY_REFUSALS }}
      opens={({ id }) => `products/${id}`}
      fields={[
        NAME_FIELD,
        {
          kind: 'other',
          names: PRICE_FIELDS,
          show: problems => (
            <>
              {open.map(number => (
                <fieldset key={number} className="stack-s">
                  <legend className="row">
                    Price
                    <Button small kind="quiet" onClick={() => setNumbers(numbers.filter(one => one !== number))}>
                      Remove
                    </Button>
                  </legend>
                  <PriceFields prefix={prefixOf(number)} problems={number === open[0] ? problems : {}} />
                </fieldset>
              ))}
              <div>
                <Button small icon="plus" onClick={() => setNumbers([...numbers, Math.max(-1, ...numbers) + 1])}>
                  Add a price
                </Button>
              </div>
            </>
          ),
        },
        keyField(null),
        ...TEXT_FIELDS,
        metadata({}),
      ]}
    />
  );
}

const prefixOf = (number: number): string => `${number}-`;
