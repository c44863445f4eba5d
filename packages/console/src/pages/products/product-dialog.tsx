import type { Product } from '@billing/client';
import { useProject } from '#api/project.ts';
import { metadata, type Fields } from '#resource/fields.tsx';
import { wordsOf, WriteDialog } from '#resource/write-dialogs.tsx';
import { textOf } from '#ui/form.tsx';
import { changedMetadata } from '#ui/metadata-fields.tsx';
import { KEY_REFUSALS, keyField, keyOf } from './key-field.ts';

export const NAME_FIELD = { name: 'name', label: 'Name', maxLength: 250, required: true } as const;

/** What else says what a product is. */
export const TEXT_FIELDS: Fields = [
  { name: 'description', label: 'Description', maxLength: 5000, hint: 'Shown on the checkout page.' },
  {
    name: 'unitLabel',
    label: 'Unit',
    maxLength: 12,
    hint: 'What a quantity counts, such as “seat”. Shown on the checkout page and on invoices.',
  },
  { name: 'taxCode', label: 'Tax code', placeholder: 'txcd_10103001', hint: 'What Stripe computes the tax by.' },
];

/** The field that a refusal by Stripe is about. */
export const PRODUCT_REFUSALS = { tax_code_invalid: 'taxCode' } as const;

/** Returns what these fields say. */
export const textsOf = (fields: FormData) => ({
  name: textOf(fields, 'name'),
  description: textOf(fields, 'description'),
  unitLabel: textOf(fields, 'unitLabel'),
  taxCode: textOf(fields, 'taxCode'),
});

/** Changes a product. */
export function ProductDialog({ product }: { readonly product: Product }) {
  const { billing, key } = useProject();
  const words = wordsOf('product', false);
  return (
    <WriteDialog
      {...words}
      write={async fields =>
        billing.products.update(product.id, {
          ...textsOf(fields),
          ...keyOf(fields),
          metadata: changedMetadata(fields, product.metadata),
        })
      }
      stale={[key('products')]}
      done={`${words.done}, here and in Stripe.`}
      values={product}
      refusals={{ ...PRODUCT_REFUSALS, ...KEY_REFUSALS }}
      fields={[NAME_FIELD, keyField(product.key), ...TEXT_FIELDS, metadata({ metadata: product.metadata })]}
    />
  );
}
