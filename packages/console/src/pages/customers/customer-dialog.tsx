import type { Customer } from '@billing/client';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { EmailField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { changedMetadata, MetadataFields, metadataOf } from '#ui/metadata-fields.tsx';

/** Creates a customer, or changes one. */
export function CustomerDialog({ customer, onClose }: { readonly customer?: Customer; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const save = useWrite({
    write: async (fields: FormData) => {
      const [email, name, externalId] = [textOf(fields, 'email'), textOf(fields, 'name'), textOf(fields, 'externalId')];
      return customer
        ? billing.customers.update(customer.id, {
            // Only a sync finds customers without one.
            email: email || undefined,
            name: name || null,
            externalId: externalId || null,
            metadata: changedMetadata(fields, customer.metadata),
          })
        : billing.customers.create({
            email,
            name: name || undefined,
            externalId: externalId || undefined,
            metadata: metadataOf(fields),
          });
    },
    stale: [key()],
    done: `The customer is ${customer ? 'changed' : 'created'}, here and in Stripe.`,
    onDone: saved => {
      onClose();
      if (!customer) openPage(`customers/${saved.id}`);
    },
  });
  const problems = problemsOf(save.error, ['email', 'name', 'externalId', 'metadata']);
  return (
    <FormDialog
      title={customer ? 'Edit the customer' : 'New customer'}
      action={customer ? 'Save' : 'Create the customer'}
      write={save}
      problems={problems}
      onClose={onClose}
    >
      <EmailField
        required={customer?.email !== null}
        defaultValue={customer?.email ?? undefined}
        problem={problems.of.email}
      />
      <TextField label="Name" name="name" maxLength={256} defaultValue={customer?.name} problem={problems.of.name} />
      <TextField
        label="External id"
        name="externalId"
        maxLength={255}
        defaultValue={customer?.externalId}
        hint="The customer’s id in your own system."
        problem={problems.of.externalId}
      />
      <MetadataFields metadata={customer?.metadata} problem={problems.of.metadata} />
    </FormDialog>
  );
}
