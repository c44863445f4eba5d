import type { Customer } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useDebounced } from '#ui/debounced.ts';
import { SelectField, TextField } from '#ui/field.tsx';

const SHOWN = 20;

interface CustomerSelectProps {
  readonly label: string;
  readonly name?: string;
  readonly hint?: string;
  /** What it is called when no customer is chosen; without it the first one that is found is chosen at first. */
  readonly none?: string;
  /** Whether one has to be chosen. */
  readonly required?: boolean;
  readonly problem?: string | undefined;
  readonly onChange?: (customerId: string) => void;
}

/** A choice of a customer, who is found by a search, as a part of a form. Who is chosen stays so in another search. */
export function CustomerSelect(props: CustomerSelectProps) {
  const { label, name, hint, none, required = none === undefined, problem, onChange } = props;
  const { billing, key } = useProject();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<Customer>();
  const search = useDebounced(typed.trim(), 200) || undefined;
  const { data: found } = useQuery({
    queryKey: key('customers', { search }, 'choice'),
    queryFn: ({ signal }) => billing.customers.list({ search, limit: SHOWN }, { signal }).page(),
  });
  const items = found?.items ?? [];
  const isListed = !chosen || items.some(({ id }) => id === chosen.id);
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
        required={required}
        hint={found && found.total > SHOWN ? `${found.total} match; search to see others.` : hint}
        problem={problem}
        onChange={({ target: { value } }) => {
          setChosen([chosen, ...items].find(customer => customer?.id === value));
          onChange?.(value);
        }}
      >
        {none !== undefined && <option value="">{none}</option>}
        {[...(isListed ? [] : [chosen]), ...items].map(({ id, name: called, email }) => (
          <option key={id} value={id}>
            {[called, email ?? id].filter(Boolean).join(', ')}
          </option>
        ))}
      </SelectField>
    </>
  );
}
