import { scopedKey } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { readObject } from '@billing/processor/event-object';
import { sourceOf } from '@billing/service/event-causes';
import { z } from 'zod';
import { testClocks } from './clock-rows.ts';
import { saveClockDeleted } from './delete-test-clock.ts';

const deleted = z.object({ id: z.string() });

/** Follows the deletion of test clocks at the processor. */
export function testClockEvents({ now }: { readonly now: () => Date }): Consumer {
  return consumer('customers-test-clocks', 'processor.test_helpers.test_clock.*.v1').onProcessorEvent(
    ['test_helpers.test_clock.deleted'],
    {
      handle: async (tx, deliveries, publish) => {
        const events = deliveries.map(delivery => ({
          source: sourceOf(delivery),
          id: {
            scope: { teamId: delivery.teamId, projectId: delivery.data.projectId },
            id: readObject(delivery.data, raw => deleted.parse(raw)).id,
          },
        }));
        const ids = events.map(({ id }) => id);
        const clocks = await testClocks.lockByProcessorIds(tx, ids, { deletedAt: null });
        for (const { id, source } of events) {
          const clock = clocks.get(scopedKey(id));
          if (clock && !clock.deletedAt)
            await saveClockDeleted(tx, publish, clock, { ...source, now: now(), at: now() });
        }
        return [];
      },
    },
  );
}
