import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { TakeIn } from './operations/take-in-billing.ts';

/** What the service's operations work with; each takes what it needs. */
export interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly operationLog: OperationLog;
  readonly processors: TeamProcessors;
  readonly takeInBilling: TakeIn;
  readonly now: () => Date;
}

/** What operations on billing details work with. */
export interface BillingDependencies extends Omit<Dependencies, 'takeInBilling'> {
  readonly rpc: RpcClient;
}
