import type { EntityManager } from '@mikro-orm/postgresql';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';

/** What the operations and reactions of this service work with; `main.ts` and the tests put it together. */
export interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}
