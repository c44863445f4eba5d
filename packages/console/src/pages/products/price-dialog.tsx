import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { FormDialog } from '#ui/form-dialog.tsx';
import { PRICE_FIELDS, PriceFields, readPrice } from './price-fields.tsx';

/** Creates a price of a product. */
export function PriceDialog({ productId, onClose }: { readonly productId: string; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const create = useWrite({
    write: async (fields: FormData) => billing.prices.create(readPrice(fields, productId)),
    stale: [key('prices')],
    done: 'The price is created, here and in Stripe.',
    onDone: onClose,
  });
  const problems = problemsOf(create.error, PRICE_FIELDS);
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
      busy={create.isPending}
      error={problems.rest}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <PriceFields problems={problems.of} />
    </FormDialog>
  );
}
