import { z } from 'zod';
import { EVENT_OBJECT_TYPES } from '../event-types.ts';
import { CustomerId, ProjectId, TeamId } from '../ids.ts';
import { defineRpc } from '../rpc.ts';

/*
 * What tells whether all that happened to the customers of a test clock has its events.
 */

const scope = { teamId: TeamId.schema, projectId: ProjectId.schema };
const object = z.object({
  type: z.enum(EVENT_OBJECT_TYPES),
  id: z.string(),
  /** Of its last event for tenants. */
  sequence: z.int(),
});
export type NumberedObject = z.output<typeof object>;

/** The records of customers with their last events. `isPublished` is false while a state of theirs may still change. */
export const FindSequences = defineRpc(
  'subscriptions',
  'find-sequences',
  z.object({ ...scope, customerIds: z.array(CustomerId.schema) }),
  z.object({ isPublished: z.boolean(), objects: z.array(object) }),
);

/** Whether the last events of these objects have their positions in the project. */
export const AreRecorded = defineRpc(
  'webhooks',
  'are-recorded',
  z.object({ ...scope, objects: z.array(object) }),
  z.object({ areRecorded: z.boolean() }),
);
