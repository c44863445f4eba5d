import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useDebounced } from '#ui/debounced.ts';
import { Dialog } from '#ui/dialog.tsx';
import { SelectField, TextField } from '#ui/field.tsx';
import { Form, FormActions, FormProblem, textOf } from '#ui/form.tsx';

/** Creates a code for a customer, who is found by a search. */
export function NewCodeDialog({ onClose }: { readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const openPage = useOpenPage();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim(), 200) || undefined;
  const { data: found } = useQuery({
    queryKey: key('customers', { search }, 'choice'),
    queryFn: ({ signal }) => billing.customers.list({ search, limit: 20 }, { signal }).page(),
  });
  const create = useMutation({
    mutationFn: (customerId: string) => billing.referrals.createCode({ customerId }),
    onSuccess: async ({ code }) => {
      await queryClient.invalidateQueries({ queryKey: key('referral-codes') });
      onClose();
      openPage(`referrals/${code}`);
    },
  });
  return (
    <Dialog title="New code" onClose={onClose}>
      <TextField
        label="Find the referrer"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        placeholder="Name, e-mail or external id"
      />
      <Form onSubmit={fields => create.mutate(textOf(fields, 'customer'))}>
        <SelectField
          label="Referrer"
          name="customer"
          required
          hint={
            found && found.total > 20
              ? `${found.total} match; search to see others.`
              : 'A customer has one active code.'
          }
        >
          {found?.items.map(({ id, name, email }) => (
            <option key={id} value={id}>
              {[name, email ?? id].filter(Boolean).join(', ')}
            </option>
          ))}
        </SelectField>
        <FormProblem error={create.error} />
        <FormActions busy={create.isPending} onClose={onClose}>
          Create the code
        </FormActions>
      </Form>
    </Dialog>
  );
}
