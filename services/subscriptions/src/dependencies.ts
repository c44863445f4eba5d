import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import type { SignedTraces } from '@billing/processor/signed-trace';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';

/** What the service's operations work with; each takes what it needs. */
export interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly operationLog: OperationLog;
  /** Signs the traces that checkouts carry through the processor. */
  readonly traces: Pick<SignedTraces, 'sign'>;
  readonly logger: Logger;
  readonly now: () => Date;
}
