import type { Product } from '@billing/client';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { changedMetadata, MetadataFields, metadataOf } from '#ui/metadata-fields.tsx';

/** Creates a product, or changes one. */
export function ProductDialog({ product, onClose }: { readonly product?: Product; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const save = useWrite({
    write: async (fields: FormData) => {
      const [name, description] = [textOf(fields, 'name'), textOf(fields, 'description')];
      return product
        ? billing.products.update(product.id, {
            name,
            description,
            metadata: changedMetadata(fields, product.metadata),
          })
        : billing.products.create({ name, description: description || undefined, metadata: metadataOf(fields) });
    },
    stale: [key('products')],
    done: `The product is ${product ? 'changed' : 'created'}, here and in Stripe.`,
    onDone: saved => {
      onClose();
      if (!product) openPage(`products/${saved.id}`);
    },
  });
  const problems = problemsOf(save.error, ['name', 'description', 'metadata']);
  return (
    <FormDialog
      title={product ? 'Edit the product' : 'New product'}
      action={product ? 'Save' : 'Create the product'}
      write={save}
      problems={problems}
      onClose={onClose}
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
      <MetadataFields metadata={product?.metadata} problem={problems.of.metadata} />
    </FormDialog>
  );
}
