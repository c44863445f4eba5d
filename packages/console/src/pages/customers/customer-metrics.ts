import type { AnalyticsCustomer } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { findCustomerMetrics } from '#api/customer-metrics.ts';
import { useProject } from '#api/project.ts';
import { formatMoney } from '#ui/money.ts';

/** The status and the revenue of a customer; `refreshMs` is how often they are loaded again, in milliseconds. */
export function useCustomerMetrics(id: string, refreshMs: number | false = false) {
  const scope = useProject();
  return useQuery({
    queryKey: scope.key('customer-metrics', id),
    queryFn: () => findCustomerMetrics(scope, id),
    staleTime: 30_000,
    refetchInterval: refreshMs,
  });
}

/** Returns what a customer adds to the monthly revenue, in each currency; a dash for nothing. */
export const revenueText = (mrr: AnalyticsCustomer['mrr']): string =>
  mrr.map(({ amount, currency }) => formatMoney(Math.round(Number(amount)), currency)).join(' + ') || '–';
