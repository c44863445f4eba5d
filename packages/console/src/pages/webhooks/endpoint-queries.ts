import { queryOptions } from '@tanstack/react-query';
import { unlessMissing } from '#api/failure.ts';
import type { ProjectScope } from '#api/project.ts';

const REFRESH_MS = 5_000;

export const endpointsQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('webhook-endpoints', 'all'),
    queryFn: async ({ signal }) => (await billing.webhookEndpoints.list({ limit: 100 }, { signal }).page()).items,
    refetchInterval: REFRESH_MS,
  });

export const endpointQuery = ({ billing, key }: ProjectScope, id: string) =>
  queryOptions({
    queryKey: key('webhook-endpoints', 'one', id),
    queryFn: ({ signal }) => billing.webhookEndpoints.get(id, { signal }),
    refetchInterval: unlessMissing(REFRESH_MS),
  });
