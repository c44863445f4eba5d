import { useQuery } from '@tanstack/react-query';
import { client, teamsQuery } from '#api/client.ts';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';

/** The team's name, which owners may change. */
export function TeamCard() {
  const { teamId } = useProject();
  const { data: teams } = useQuery(teamsQuery);
  const team = teams?.find(({ id }) => id === teamId);
  const rename = useWrite({
    write: (name: string) => client.teams.update(teamId, { name }),
    stale: [teamsQuery.queryKey],
    done: 'The team is renamed.',
  });
  const problems = problemsOf(rename.error, ['name']);
  return (
    <Card title="Team">
      <Form key={team?.name} onSubmit={fields => rename.mutate(textOf(fields, 'name'))}>
        <TextField
          label="Team name"
          name="name"
          maxLength={120}
          required
          defaultValue={team?.name}
          problem={problems.of.name}
        />
        <FormProblem error={problems.rest} />
        <div>
          <Button type="submit" busy={rename.isPending}>
            Rename the team
          </Button>
        </div>
      </Form>
    </Card>
  );
}
