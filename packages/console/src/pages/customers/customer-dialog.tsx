import type { Customer } from '@billing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';
import { useToasts } from '#ui/toasts.tsx';

interface Fields {
  readonly email: string;
  readonly name: string;
  readonly externalId: string;
}

/** Creates a customer, or changes one. */
export function CustomerDialog({ customer, onClose }: { readonly customer?: Customer; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const openPage = useOpenPage();
  const toasts = useToasts();
  const save = useMutation({
    mutationFn: ({ email, name, externalId }: Fields) =>
      customer
        ? billing.customers.update(customer.id, { email, name: name || null, externalId: externalId || null })
        : billing.customers.create({ email, name: name || undefined, externalId: externalId || undefined }),
    onSuccess: async saved => {
      await queryClient.invalidateQueries({ queryKey: key() });
      onClose();
      toasts.done(
        customer ? 'The customer is changed, here and in Stripe.' : 'The customer is created, here and in Stripe.',
      );
      if (!customer) openPage(`customers/${saved.id}`);
    },
  });
  const problems = problemsOf(save.error, ['email', 'name', 'externalId']);
  return (
    <Dialog title={customer ? 'Edit the customer' : 'New customer'} onClose={onClose}>
      <Form
        onSubmit={fields =>
          save.mutate({
            email: textOf(fields, 'email'),
            name: textOf(fields, 'name'),
            externalId: textOf(fields, 'externalId'),
          })
        }
      >
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          required
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
        <FormProblem error={problems.rest} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Keep as it is</Button>
          <Button kind="primary" type="submit" busy={save.isPending}>
            {customer ? 'Save' : 'Create the customer'}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
