import type { Price } from '@billing/client';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { formatPrice } from '#ui/amount.ts';
import { FormDialog } from '#ui/form-dialog.tsx';
import { changedMetadata, MetadataFields, metadataOf } from '#ui/metadata-fields.tsx';
import { PRICE_FIELDS, PriceFields, readPrice } from './price-fields.tsx';

/** Creates a price of a product. */
export function PriceDialog({ productId, onClose }: { readonly productId: string; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const create = useWrite({
    write: async (fields: FormData) =>
      billing.prices.create({ ...readPrice(fields, productId), metadata: metadataOf(fields) }),
    stale: [key('prices')],
    done: 'The price is created, here and in Stripe.',
    onDone: onClose,
  });
  const problems = problemsOf(create.error, [...PRICE_FIELDS, 'metadata']);
  return (
    <FormDialog
      title="New price"
      lead={
        <p className="muted">
          A price never changes. To charge another amount, create another price and archive this one: subscriptions keep
          theirs.
        </p>
      }
      action="Create the price"
      write={create}
      problems={problems}
      onClose={onClose}
    >
      <PriceFields problems={problems.of} />
      <MetadataFields problem={problems.of.metadata} />
    </FormDialog>
  );
}

/** Changes what of a price can change. */
export function PriceMetadataDialog({ price, onClose }: { readonly price: Price; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const save = useWrite({
    write: async (fields: FormData) =>
      billing.prices.update(price.id, { metadata: changedMetadata(fields, price.metadata) }),
    stale: [key('prices')],
    done: 'The price is changed, here and in Stripe.',
    onDone: onClose,
  });
  const problems = problemsOf(save.error, ['metadata']);
  return (
    <FormDialog
      title="Edit the price"
      lead={<p className="muted">{formatPrice(price)}. Its amount and interval never change.</p>}
      action="Save"
      write={save}
      problems={problems}
      onClose={onClose}
    >
      <MetadataFields metadata={price.metadata} problem={problems.of.metadata} />
    </FormDialog>
  );
}
