import type { Product } from '@billing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormActions, FormProblem, textOf } from '#ui/form.tsx';
import { useToasts } from '#ui/toasts.tsx';

/** Creates a product, or changes one. */
export function ProductDialog({ product, onClose }: { readonly product?: Product; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const openPage = useOpenPage();
  const toasts = useToasts();
  const save = useMutation({
    mutationFn: ({ name, description }: { name: string; description: string }) =>
      product
        ? billing.products.update(product.id, { name, description })
        : billing.products.create({ name, description: description || undefined }),
    onSuccess: async saved => {
      await queryClient.invalidateQueries({ queryKey: key('products') });
      onClose();
      toasts.done(
        product ? 'The product is changed, here and in Stripe.' : 'The product is created, here and in Stripe.',
      );
      if (!product) openPage(`products/${saved.id}`);
    },
  });
  const problems = problemsOf(save.error, ['name', 'description']);
  return (
    <Dialog title={product ? 'Edit the product' : 'New product'} onClose={onClose}>
      <Form
        onSubmit={fields => save.mutate({ name: textOf(fields, 'name'), description: textOf(fields, 'description') })}
      >
        <TextField
          label="Name"
          name="name"
          maxLength={250}
          required
          defaultValue={product?.name}
          problem={problems.of.name}
        />
        <TextField
          label="Description"
          name="description"
          maxLength={5000}
          defaultValue={product?.description}
          hint="Shown on the checkout page."
          problem={problems.of.description}
        />
        <FormProblem error={problems.rest} />
        <FormActions busy={save.isPending} onClose={onClose}>
          {product ? 'Save' : 'Create the product'}
        </FormActions>
      </Form>
    </Dialog>
  );
}
