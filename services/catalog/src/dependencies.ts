import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';

/** What the catalog's operations work with; each takes what it needs. */
export interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly operationLog: OperationLog;
  readonly now: () => Date;
}
