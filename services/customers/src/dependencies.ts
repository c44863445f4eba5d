import type { EntityManager } from '@mikro-orm/postgresql';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';

/** What the service's operations work with; each takes what it needs. */
export interface Dependencies {
  readonly em: EntityManager;
  readonly operationLog: OperationLog;
  readonly now: () => Date;
}
