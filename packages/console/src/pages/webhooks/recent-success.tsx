import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { formatCount } from '#ui/amount.ts';
import { Skeleton } from '#ui/states.tsx';
import { successRate } from './success-rate.ts';

const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;
/** As many deliveries as one page has. */
const LOOKED_AT = 100;

/** How many of an endpoint's deliveries of the last 24 hours have arrived; of the newest, where there are many. */
export function RecentSuccess({ endpointId }: { readonly endpointId: string }) {
  const { billing, key } = useProject();
  const { data, error } = useQuery({
    queryKey: key('webhook-deliveries', 'recent', endpointId),
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - DAY_MS);
      const page = await billing.webhookDeliveries.list({ endpointId, since, limit: LOOKED_AT }, { signal }).page();
      return { rate: successRate(page.items) ?? null, hasMore: page.nextCursor !== null };
    },
    refetchInterval: REFRESH_MS,
  });
  if (error) return <span className="muted">unknown</span>;
  if (!data) return <Skeleton width="4rem" />;
  if (!data.rate) return <span className="muted">nothing sent</span>;
  const { percent, tried } = data.rate;
  return (
    <span className="num">
      {percent} %{' '}
      <span className="muted">
        of {data.hasMore && 'the newest '}
        {formatCount(tried)}
      </span>
    </span>
  );
}
