import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import type { ProcessorEventData } from '@billing/contracts/processor-events';

/** The project an event was routed to. */
export const scopeOf = (data: Pick<ProcessorEventData, 'projectId'>, event: Envelope): ProjectScope => ({
  teamId: teamOf(event),
  projectId: data.projectId,
});

/** The team a fact is about. */
export const teamOf = (event: Envelope): TeamId => event.teamId as TeamId; // only our own services write envelopes
