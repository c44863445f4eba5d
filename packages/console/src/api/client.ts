import { SessionClient } from '@billing/client';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { auth } from './auth.ts';
import { noteRetry } from './retries.ts';
import { watchedFetch } from './watched-fetch.ts';

/** The public API with the reader's session. */
export const client = new SessionClient({ baseUrl: location.origin, fetch: watchedFetch, onRetry: noteRetry });

// The client retries what may succeed and says when there is no connection, so queries neither retry nor wait for one.
const DIRECT = { retry: false, networkMode: 'always' } as const;
export const queryClient = new QueryClient({
  defaultOptions: { queries: { ...DIRECT, staleTime: 5_000 }, mutations: DIRECT },
});

export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: auth.session, staleTime: 60_000 });

export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: async ({ signal }) => (await client.teams.list({}, { signal }).page()).items,
});

export const projectsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'projects'],
    queryFn: async ({ signal }) => (await client.team(teamId).projects.list({}, { signal }).page()).items,
  });

/** Forgets what was loaded for other teams, or for everyone with no team: the next person may be another one. */
export function forgetOtherTeams(teamId?: string): void {
  if (teamId === undefined) queryClient.clear();
  else queryClient.removeQueries({ predicate: ({ queryKey: [kind, id] }) => kind === 'team' && id !== teamId });
}
