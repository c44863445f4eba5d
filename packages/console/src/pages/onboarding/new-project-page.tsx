import { useNavigate, useSearch } from '@tanstack/react-router';
import { client, projectsQuery } from '#api/client.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { EntryCard } from '../sign-in/entry-card.tsx';

export function NewProjectPage() {
  const { teamId = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const create = useWrite({
    write: (fields: FormData) =>
      client.team(teamId).projects.create({ name: textOf(fields, 'name'), baseCurrency: textOf(fields, 'currency') }),
    stale: [projectsQuery(teamId).queryKey],
    onDone: ({ id }) => void navigate({ to: `/teams/${teamId}/projects/${id}/start` }),
  });
  return (
    <EntryCard
      title="Create a project"
      lead="A project has its own products, customers and API keys. It shares the team’s Stripe account."
    >
      <Form
        action="Create the project"
        write={create}
        buttons={own => (
          <div className="row">
            {own}
            <Button kind="quiet" onClick={() => history.back()}>
              Back
            </Button>
          </div>
        )}
      >
        <TextField label="Project name" name="name" maxLength={120} required />
        <CurrencySelect label="Base currency" name="currency" defaultValue="usd" hint="Revenue is reported in it." />
      </Form>
    </EntryCard>
  );
}
