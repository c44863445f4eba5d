import { z } from 'zod';
import { CustomerId, ProjectId } from '../ids.ts';
import { eventResource } from '../resources/event.ts';
import { defineRecordEvent } from './record-event.ts';

/** What a customer may use has changed, or how far payments are past due. */
export const CustomerStateChanged = defineRecordEvent(
  'customer-state.changed',
  z.object({
    projectId: ProjectId.schema,
    customerId: CustomerId.schema,
    /** The state in JSON; absent when it is longer than any event for tenants. */
    state: eventResource.optional(),
  }),
);
