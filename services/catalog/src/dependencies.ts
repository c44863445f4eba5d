import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import type { TeamProcessors } from '@billing/processor/team-processors';

/** What the catalog's operations work with; each takes what it needs. */
export interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly operationLog: OperationLog;
  readonly processors: TeamProcessors;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}
