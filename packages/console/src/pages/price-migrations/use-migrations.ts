import { useQuery } from '@tanstack/react-query';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { isOpen } from '../syncs/sync-counts.ts';
import { RUNNING_MS } from '../syncs/use-newest-syncs.ts';

const IDLE_MS = 30_000;

/** The project's newest migration, loaded again and again while it runs; null when there is none. */
export function useNewestMigration() {
  const { billing, key } = useProject();
  return useQuery({
    queryKey: key('price-migrations', 'newest'),
    queryFn: async ({ signal }) => {
      const [newest] = (await billing.priceMigrations.list({ limit: 1 }, { signal }).page()).items;
      return newest ?? null;
    },
    refetchInterval: ({ state }) => (isOpen(state.data) ? RUNNING_MS : IDLE_MS),
  });
}

/** One migration, loaded again and again while it runs. */
export function useMigration(id: string) {
  const { billing, key } = useProject();
  return useQuery({
    queryKey: key('price-migrations', id),
    queryFn: ({ signal }) => billing.priceMigrations.get(id, { signal }),
    refetchInterval: query => (isOpen(query.state.data) ? unlessMissing(RUNNING_MS)(query) : false),
  });
}
