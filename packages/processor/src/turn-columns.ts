import { p } from '@mikro-orm/postgresql';
import type { SyncError, SyncMode, SyncStatus } from '@billing/contracts/resources/sync';

/** Returns the properties that the entity of each long work has (`turns.ts`). */
export const turnColumns = () => ({
  mode: p.text().$type<SyncMode>(),
  status: p.text().$type<SyncStatus>(),
  error: p.json<SyncError>().strictNullable(),
  createdAt: p.datetime(),
  startedAt: p.datetime().strictNullable(),
  finishedAt: p.datetime().strictNullable(),
  /** When it needs work next; the end of the lease meanwhile, null once it has ended. */
  dueAt: p.datetime().strictNullable(),
  leaseId: p.uuid().strictNullable(),
  /** Failures one after another. */
  failures: p.integer(),
});
