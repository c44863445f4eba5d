import type { BillingClient, TeamClient } from '@billing/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client, projectsQuery } from './client.ts';

export interface ProjectScope {
  readonly teamId: string;
  readonly projectId: string;
  readonly team: TeamClient;
  readonly billing: BillingClient;
  /** The key of a query about the project; it names the team and the project, so that no other one sees its result. */
  readonly key: (...parts: readonly unknown[]) => readonly unknown[];
  /** The key of a query about the whole team. */
  readonly teamKey: (...parts: readonly unknown[]) => readonly unknown[];
}

/** The team of the address, and one of its projects: that of the address, unless another is given. */
export function useProject(otherId?: string): ProjectScope {
  const { teamId = '', projectId: openId = '' } = useParams({ strict: false });
  const projectId = otherId ?? openId;
  return useMemo(() => scopeOf(teamId, projectId), [teamId, projectId]);
}

/** A project of a team. */
export function scopeOf(teamId: string, projectId: string): ProjectScope {
  const team = client.team(teamId || 'none');
  return {
    teamId,
    projectId,
    team,
    billing: team.billing(projectId || 'none'),
    key: (...parts) => ['team', teamId, projectId, ...parts],
    teamKey: (...parts) => ['team', teamId, 'all', ...parts],
  };
}

/** The project's name and base currency; loaded before any of its pages. */
export function useProjectDetails() {
  const { teamId, projectId } = useProject();
  const { data } = useSuspenseQuery(projectsQuery(teamId));
  const project = data.find(({ id }) => id === projectId);
  if (!project) throw new Error('This team has no such project, or you are not a member of the team.');
  return project;
}
