import { useMutation, useQueryClient } from '@tanstack/react-query';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Dialog } from '#ui/dialog.tsx';
import { Form, FormActions, FormProblem } from '#ui/form.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { PriceFields, readPrice } from './price-fields.tsx';

/** Creates a price of a product. */
export function PriceDialog({ productId, onClose }: { readonly productId: string; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const create = useMutation({
    mutationFn: async (fields: FormData) => billing.prices.create(readPrice(fields, productId)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: key('prices') });
      onClose();
      toasts.done('The price is created, here and in Stripe.');
    },
  });
  const problems = problemsOf(create.error, ['unitAmount']);
  return (
    <Dialog title="New price" onClose={onClose}>
      <p className="muted">
        A price never changes. To charge another amount, create another price and archive this one: subscriptions keep
        theirs.
      </p>
      <Form onSubmit={fields => create.mutate(fields)}>
        <PriceFields problem={problems.of.unitAmount} />
        <FormProblem error={problems.rest} />
        <FormActions busy={create.isPending} onClose={onClose}>
          Create the price
        </FormActions>
      </Form>
    </Dialog>
  );
}
