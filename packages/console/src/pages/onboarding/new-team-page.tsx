import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client, forgetOtherTeams, queryClient } from '#api/client.ts';
import { Button } from '#ui/button.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';
import { EntryCard } from '../sign-in/entry-card.tsx';

/** Creates a team with its first project. */
export function NewTeamPage() {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async (names: { team: string; project: string; baseCurrency: string }) => {
      const team = await client.teams.create({ name: names.team });
      return client.team(team.id).projects.create({ name: names.project, baseCurrency: names.baseCurrency });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['teams'] }),
    onSuccess: ({ teamId, id: projectId }) => {
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
