import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { forgetOtherTeams, projectsQuery, teamsQuery } from '#api/client.ts';
import { useProject, useProjectDetails } from '#api/project.ts';
import { Icon } from '#ui/icon.tsx';
import { Menu, MenuChoice } from '#ui/menu.tsx';

/** The team and the project that are open, and the way to others. */
export function TeamSwitcher() {
  const { teamId, projectId } = useProject();
  const project = useProjectDetails();
  const { data: teams = [] } = useQuery(teamsQuery);
  const { data: projects = [] } = useQuery(projectsQuery(teamId));
  const navigate = useNavigate();
  const team = teams.find(({ id }) => id === teamId);

  const open = (toProject: string) =>
    void navigate({ to: '/teams/$teamId/projects/$projectId/overview', params: { teamId, projectId: toProject } });
  const openTeam = (toTeam: string) => {
    if (toTeam !== teamId) forgetOtherTeams(toTeam);
    void navigate({ to: '/teams/$teamId', params: { teamId: toTeam } });
  };

  return (
    <Menu name={project.name} detail={team?.name} label="Switch the project or the team">
      <div className="menu-title truncate" dir="auto">
        Projects of {team?.name}
      </div>
      {projects.map(({ id, name }) => (
        <MenuChoice key={id} chosen={id === projectId} onClick={() => open(id)}>
          {name}
        </MenuChoice>
      ))}
      <Link to="/new-project" search={{ teamId }} className="menu-item">
        <Icon name="plus" />
        New project
      </Link>
      <hr />
      <div className="menu-title">Teams</div>
      {teams.map(({ id, name }) => (
        <MenuChoice key={id} chosen={id === teamId} onClick={() => openTeam(id)}>
          {name}
        </MenuChoice>
      ))}
      <Link to="/new-team" className="menu-item">
        <Icon name="plus" />
        New team
      </Link>
    </Menu>
  );
}
