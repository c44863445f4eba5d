import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { apiKeysQuery, pricesQuery, processorQuery } from '#api/queries.ts';

const LIVE_MS = 1_000;

/** How far a project is on the way to its first payment. Undefined while that is loaded. */
export function useProgress() {
  const scope = useProject();
  const connection = useQuery(processorQuery(scope));
  const keys = useQuery(apiKeysQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const payments = useQuery({
    queryKey: scope.key('payments', { status: 'succeeded' }, 'first'),
    queryFn: ({ signal }) => scope.billing.payments.list({ status: 'succeeded', limit: 1 }, { signal }).page(),
    refetchInterval: ({ state }) => (state.data?.total ? false : LIVE_MS),
  });
  const error = connection.error ?? keys.error ?? prices.error ?? payments.error;
  if (!connection.data || !keys.data || !prices.data || !payments.data) return { error, progress: undefined };
  const price = prices.data.find(({ isActive }) => isActive);
  return {
    error: null,
    progress: {
      connection: connection.data,
      hasKey: keys.data.length > 0,
      price,
      payment: payments.data.items[0],
      /** The first step that is not done; 5 when all are. */
      current: [
        connection.data.processor !== null,
        price !== undefined,
        payments.data.total > 0,
        keys.data.length > 0,
      ].indexOf(false),
    },
  };
}
