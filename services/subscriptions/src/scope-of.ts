import type { ProjectScope } from '@billing/contracts/ids';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import type { Delivery } from '@billing/messaging/consumer/delivery';

/** Returns the project that a processor's event was routed to. */
export const scopeOf = ({ teamId, data }: Pick<Delivery<ProcessorEventData>, 'teamId' | 'data'>): ProjectScope => ({
  teamId,
  projectId: data.projectId,
});
