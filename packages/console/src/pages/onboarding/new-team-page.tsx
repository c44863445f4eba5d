import type { Team } from '@billing/client';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { client, forgetOtherTeams, teamsQuery } from '#api/client.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';
import { EntryCard } from '../sign-in/entry-card.tsx';

/** Creates a team with its first project. */
export function NewTeamPage() {
  const navigate = useNavigate();
  // If its project fails, another try does not create a second team.
  const team = useRef<Team>(undefined);
  const create = useWrite({
    write: async (names: { team: string; project: string; baseCurrency: string }) => {
      team.current ??= await client.teams.create({ name: names.team });
      const { id } = team.current;
      return client.team(id).projects.create({ name: names.project, baseCurrency: names.baseCurrency });
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
      <Form
        onSubmit={fields =>
          create.mutate({
            team: textOf(fields, 'team'),
            project: textOf(fields, 'project'),
            baseCurrency: textOf(fields, 'currency'),
          })
        }
      >
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
        <FormProblem error={create.error} />
        <Button kind="primary" type="submit" busy={create.isPending}>
          Create the team
        </Button>
      </Form>
    </EntryCard>
  );
}
