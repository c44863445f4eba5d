import { useQuery } from '@tanstack/react-query';
import { client, teamsQuery } from '#api/client.ts';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { RenameForm } from '#layout/rename-form.tsx';
import { useWrite } from '#layout/use-write.ts';

/** The team's name, which owners may change. */
export function TeamCard() {
  const { teamId } = useProject();
  const { data: teams } = useQuery(teamsQuery);
  const rename = useWrite({
    write: (name: string) => client.teams.update(teamId, { name }),
    stale: [teamsQuery.queryKey],
    done: 'The team is renamed.',
  });
  const name = teams?.find(({ id }) => id === teamId)?.name;
  return (
    <Card title="Team">
      <RenameForm label="Team name" name={name} action="Rename the team" write={rename} />
    </Card>
  );
}
