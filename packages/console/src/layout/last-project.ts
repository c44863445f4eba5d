const KEY = 'last-project';

/** The project that was open last, so that `/` opens it again. */
export function readLastProject(): { teamId: string; projectId: string } | undefined {
  const [teamId, projectId] = (localStorage.getItem(KEY) ?? '').split('/');
  return teamId && projectId ? { teamId, projectId } : undefined;
}

export const saveLastProject = (teamId: string, projectId: string): void =>
  localStorage.setItem(KEY, `${teamId}/${projectId}`);

export const forgetLastProject = (): void => localStorage.removeItem(KEY);
