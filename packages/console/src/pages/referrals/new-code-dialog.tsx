import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { useDebounced } from '#ui/debounced.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';

/** Creates a code for a customer, who is found by a search. */
export function NewCodeDialog({ onClose }: { readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim(), 200) || undefined;
  const { data: found } = useQuery({
    queryKey: key('customers', { search }, 'choice'),
    queryFn: ({ signal }) => billing.customers.list({ search, limit: 20 }, { signal }).page(),
  });
  const create = useWrite({
    write: (fields: FormData) => billing.referrals.createCode({ customerId: textOf(fields, 'customer') }),
    stale: [key('referral-codes')],
    onDone: ({ code }) => {
      onClose();
      openPage(`referrals/${code}`);
    },
  });
  return (
    <FormDialog
      title="New code"
      lead={
        <TextField
          label="Find the referrer"
          value={typed}
          onChange={event => setTyped(event.target.value)}
          placeholder="Name, e-mail or external id"
        />
      }
      action="Create the code"
      write={create}
      onClose={onClose}
    >
      <SelectField
        label="Referrer"
        name="customer"
        required
        hint={
          found && found.total > 20 ? `${found.total} match; search to see others.` : 'A customer has one active code.'
        }
      >
        {found?.items.map(({ id, name, email }) => (
          <option key={id} value={id}>
            {[name, email ?? id].filter(Boolean).join(', ')}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
