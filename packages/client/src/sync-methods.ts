import type { CallOptions, WriteOptions } from './options.ts';
import type { PageOptions } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** The methods of `billing.syncs`. */
export const syncMethods = (requests: Requests) => ({
  /** Queues a sync: a `report` changes nothing, `apply` makes the records equal to the account. */
  create: async (body: wire.SyncCreate, options?: WriteOptions): Promise<wire.Sync> =>
    (await requests.post<{ sync: wire.Sync }>('/syncs', body, options)).sync,
  list: (filters?: PageOptions, options?: CallOptions) => requests.list<wire.Sync>('/syncs', 'syncs', filters, options),
  get: async (id: string, options?: CallOptions): Promise<wire.Sync> =>
    (await requests.get<{ sync: wire.Sync }>(`/syncs/${segment(id)}`, undefined, options)).sync,
  /** Stops a sync; what it has applied stays. */
  cancel: async (id: string, options?: WriteOptions): Promise<wire.Sync> =>
    (await requests.post<{ sync: wire.Sync }>(`/syncs/${segment(id)}/cancel`, undefined, options)).sync,
  findings: (id: string, filters?: wire.SyncFindingFilters, options?: CallOptions) =>
    requests.list<wire.SyncFinding>(`/syncs/${segment(id)}/findings`, 'findings', filters, options),
});

interface OfMigration {
  readonly priceMigration: wire.PriceMigration;
}

/** The methods of `billing.priceMigrations`. */
export const priceMigrationMethods = (requests: Requests) => ({
  /**
   * Queues a price migration: a `report` says what would change, `apply` schedules the change of each subscription at the
   * end of its period.
   */
  create: async (body: wire.PriceMigrationCreate, options?: WriteOptions): Promise<wire.PriceMigration> =>
    (await requests.post<OfMigration>('/price-migrations', body, options)).priceMigration,
  list: (filters?: PageOptions, options?: CallOptions) =>
    requests.list<wire.PriceMigration>('/price-migrations', 'priceMigrations', filters, options),
  get: async (id: string, options?: CallOptions): Promise<wire.PriceMigration> =>
    (await requests.get<OfMigration>(migrationPath(id), undefined, options)).priceMigration,
  /** Stops a price migration; what it has scheduled stays. */
  cancel: async (id: string, options?: WriteOptions): Promise<wire.PriceMigration> =>
    (await requests.post<OfMigration>(`${migrationPath(id)}/cancel`, undefined, options)).priceMigration,
  /** Lists what it does to each subscription, with the old and the new monthly amount. */
  findings: (id: string, filters?: wire.PriceMigrationFindingFilters, options?: CallOptions) =>
    requests.list<wire.PriceMigrationFinding>(`${migrationPath(id)}/findings`, 'findings', filters, options),
});

const migrationPath = (id: string): string => `/price-migrations/${segment(id)}`;
