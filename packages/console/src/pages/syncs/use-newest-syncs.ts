import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { isOpen } from './sync-counts.ts';

export const RUNNING_MS = 1_000;
const IDLE_MS = 30_000;
/** Enough to find the last report, of which one is made every night. */
const NEWEST = 20;

/** The project's newest syncs, loaded again and again while one runs. */
export function useNewestSyncs() {
  const { billing, key } = useProject();
  return useQuery({
    queryKey: key('syncs', 'newest'),
    queryFn: async ({ signal }) => (await billing.syncs.list({ limit: NEWEST }, { signal }).page()).items,
    refetchInterval: ({ state }) => (isOpen(state.data?.[0]) ? RUNNING_MS : IDLE_MS),
  });
}
