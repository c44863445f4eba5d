import { queryOptions } from '@tanstack/react-query';
import type { ProjectScope } from './project.ts';

/** Queries that several pages share. */
export const processorQuery = ({ team, teamKey }: ProjectScope) =>
  queryOptions({
    queryKey: teamKey('processor'),
    queryFn: ({ signal }) => team.processor.get({ signal }),
    staleTime: 30_000,
  });

export const productsQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('products'),
    queryFn: async ({ signal }) =>
      (await billing.products.list({ activeOnly: false, limit: undefined }, { signal }).page()).items,
  });

export const pricesQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('prices'),
    queryFn: async ({ signal }) =>
      (await billing.prices.list({ activeOnly: false, limit: undefined }, { signal }).page()).items,
  });

export const customerQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('customer', customerId),
    queryFn: ({ signal }) => billing.customers.get(customerId, { signal }),
    staleTime: 30_000,
  });

export const apiKeysQuery = ({ team, projectId, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('api-keys'),
    queryFn: async ({ signal }) => (await team.apiKeys.list(projectId, {}, { signal }).page()).items,
  });
