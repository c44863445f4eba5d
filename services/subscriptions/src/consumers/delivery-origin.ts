import type { ProjectScope } from '@billing/contracts/ids';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { causeOfEvent } from '@billing/service/event-causes';
import type { Source } from '#operations/tell-tenants.ts';

/** Returns the project that a processor's event was routed to. */
export const scopeOf = ({ teamId, data }: Pick<Delivery<ProcessorEventData>, 'teamId' | 'data'>): ProjectScope => ({
  teamId,
  projectId: data.projectId,
});

/** Returns when and why what a processor's event changes does so. */
export const sourceOf = ({ data, trace }: Pick<Delivery<ProcessorEventData>, 'data' | 'trace'>): Source => ({
  at: data.createdAt,
  cause: causeOfEvent(data),
  trace,
});
