import type { Team } from '@billing/client';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { client, forgetOtherTeams, teamsQuery } from '#api/client.ts';
import { useWrite } from '#layout/use-write.ts';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { EntryCard } from '../sign-in/entry-card.tsx';

/** Creates a team with its first project. */
export function NewTeamPage() {
  const navigate = useNavigate();
  // If its project fails, another try does not create a second team.
  const team = useRef<Team>(undefined);
  const create = useWrite({
    write: async (fields: FormData) => {
      team.current ??= await client.teams.create({ name: textOf(fields, 'team') });
      const { projects } = client.team(team.current.id);
      return projects.create({ name: textOf(fields, 'project'), baseCurrency: textOf(fields, 'currency') });
    },
    stale: [teamsQuery.queryKey],
    onDone: ({ teamId, id: projectId }) => {
      forgetOtherTeams(teamId);
      void navigate({ to: `/teams/${teamId}/projects/${projectId}/start` });
    },
  });
  return (
    <EntryCard
      title="Create a team"
      lead="A team has members and one Stripe account. Its projects keep the customers of your products apart."
    >
      <Form action="Create the team" write={create}>
        <TextField label="Team name" name="team" maxLength={120} required placeholder="Acme" />
        <TextField
          label="First project"
          name="project"
          maxLength={120}
          required
          placeholder="Shop"
          hint="Usually the name of your product."
        />
        <CurrencySelect label="Base currency" name="currency" defaultValue="usd" hint="Revenue is reported in it." />
      </Form>
    </EntryCard>
  );
}
