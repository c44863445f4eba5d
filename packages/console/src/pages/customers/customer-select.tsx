import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useDebounced } from '#ui/debounced.ts';
import { SelectField, TextField } from '#ui/field.tsx';

const SHOWN = 20;

interface CustomerSelectProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  /** What it is called when no customer is chosen; without it one has to be. */
  readonly none?: string;
  readonly problem?: string | undefined;
}

/** A choice of a customer, who is found by a search, as a part of a form. */
export function CustomerSelect({ label, name, hint, none, problem }: CustomerSelectProps) {
  const { billing, key } = useProject();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim(), 200) || undefined;
  const { data: found } = useQuery({
    queryKey: key('customers', { search }, 'choice'),
    queryFn: ({ signal }) => billing.customers.list({ search, limit: SHOWN }, { signal }).page(),
  });
  return (
    <>
      <TextField
        label="Find a customer"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        // It is only a search: the form is sent by its button.
        onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
        placeholder="Name, e-mail or external id"
      />
      <SelectField
        label={label}
        name={name}
        required={none === undefined}
        hint={found && found.total > SHOWN ? `${found.total} match; search to see others.` : hint}
        problem={problem}
      >
        {none !== undefined && <option value="">{none}</option>}
        {found?.items.map(({ id, name: called, email }) => (
          <option key={id} value={id}>
            {[called, email ?? id].filter(Boolean).join(', ')}
          </option>
        ))}
      </SelectField>
    </>
  );
}
