import { testClockOperations as operations } from '@billing/contracts/operations/test-clocks';
import type { Outbox } from '@billing/messaging/outbox';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { testClocks, toResources } from './clock-rows.ts';
import { createTestClock } from './create-test-clock.ts';
import { deleteTestClock } from './delete-test-clock.ts';
import { startAdvance } from './start-advance.ts';
import type { LinkedClock } from './test-clock.entity.ts';

interface Dependencies {
  readonly outbox: Outbox;
  readonly operationLog: OperationLog;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  /** A clock is to advance. */
  readonly wake: () => void;
}

/** The HTTP surface of test clocks. */
export function testClockRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies.outbox;
  const create = createTestClock(dependencies);
  const advance = startAdvance(dependencies);
  const remove = deleteTestClock(dependencies);
  const shown = async (clock: LinkedClock) => {
    const [testClock] = await toResources(em.fork(), [clock]);
    if (!testClock) throw new Error('A clock has one resource.');
    return { testClock };
  };

  return app => {
    serve(app, operations.createTestClock, async ({ params, body, audit, operationKey }) =>
      shown(await create(params, body, audit, operationKey)),
    );
    serve(app, operations.listTestClocks, async ({ params, query }) => {
      const [clocks, pagination] = await testClocks.list(em.fork(), params, query);
      return { testClocks: await toResources(em.fork(), clocks), pagination };
    });
    serve(app, operations.getTestClock, async ({ params: { testClockId, ...scope } }) =>
      shown(await testClocks.find(em.fork(), scope, testClockId)),
    );
    serve(app, operations.advanceTestClock, async ({ params: { testClockId, ...scope }, body, audit, operationKey }) =>
      shown(await advance(scope, testClockId, body, audit, operationKey)),
    );
    serve(app, operations.deleteTestClock, async ({ params: { testClockId, ...scope }, audit, operationKey }) => {
      await remove(scope, testClockId, audit, operationKey);
      return { success: true };
    });
  };
}
