import type { AnalyticsCustomer } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { findCustomerMetrics } from '#api/customer-metrics.ts';
import { useProject } from '#api/project.ts';
import { formatMoney } from '#ui/money.ts';
import { Skeleton } from '#ui/states.tsx';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';

function useMetrics(id: string) {
  const scope = useProject();
  return useQuery({
    queryKey: scope.key('customer-metrics', id),
    queryFn: () => findCustomerMetrics(scope, id),
    staleTime: 30_000,
  });
}

/** The best status of a customer's subscriptions; a dash for a customer who never had one. */
export function CustomerStatus({ id }: { readonly id: string }) {
  const { data, isPending } = useMetrics(id);
  if (isPending) return <Skeleton width="4rem" />;
  return data?.status ? <StatusBadge of={SUBSCRIPTION_STATUS[data.status]} /> : <span className="muted">–</span>;
}

/** What a customer adds to the monthly revenue, in each currency. */
export function CustomerRevenue({ id }: { readonly id: string }) {
  const { data, isPending } = useMetrics(id);
  if (isPending) return <Skeleton width="4rem" />;
  return <span className="num">{revenueText(data?.mrr ?? [])}</span>;
}

const revenueText = (mrr: AnalyticsCustomer['mrr']): string =>
  mrr.map(({ amount, currency }) => formatMoney(Math.round(Number(amount)), currency)).join(' + ') || '–';
