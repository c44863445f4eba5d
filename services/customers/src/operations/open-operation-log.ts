import type { Outbox } from '@billing/messaging/outbox';
import { openOperationLog, type OperationLog } from '@billing/processor/operation-log/operation-log';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { createTestClockKind } from '#test-clocks/create-test-clock.ts';
import { deleteTestClockKind } from '#test-clocks/delete-test-clock.ts';
import { createCustomerKind } from './create-customer.ts';
import { updateBillingDetailsKind } from './update-billing-details.ts';
import { updateCustomerKind } from './update-customer.ts';

interface CustomersOperationLogOptions {
  readonly outbox: Outbox;
  readonly processors: TeamProcessors;
  readonly rpc: RpcClient;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Opens the log of everything this service writes to the processor. */
export function openCustomersOperationLog({ now, rpc, ...options }: CustomersOperationLogOptions): OperationLog {
  const { processors } = options;
  const kinds = [
    createCustomerKind,
    updateCustomerKind(now),
    updateBillingDetailsKind({ now, processors, rpc }),
    createTestClockKind(now),
    deleteTestClockKind(now),
  ];
  return openOperationLog({ ...options, kinds });
}
