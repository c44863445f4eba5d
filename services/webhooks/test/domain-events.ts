import type { Envelope } from '@billing/contracts/event';
import { CustomerCreated } from '@billing/contracts/events/customers';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { ProcessorEventCompleted, type Completion } from '@billing/contracts/processor-events';
import { customerState } from '@billing/testing/customer-state';
import { newEvent } from '@billing/testing/events';

export const customerCreated = (teamId: TeamId, projectId: ProjectId, processorCustomerId: string): Envelope =>
  newEvent(CustomerCreated, teamId, customerState({ projectId, processorCustomerId }));

/** The report of a project's owning service on a webhook event; `processed` unless given. */
export const completed = (
  { teamId, projectId }: { teamId: TeamId; projectId: ProjectId },
  eventId: string,
  report: Partial<Completion> = {},
): Envelope =>
  newEvent(ProcessorEventCompleted, teamId, {
    completions: [
      { eventId, projectId, routedBy: 'object-metadata', outcome: 'processed', error: null, attempts: 1, ...report },
    ],
  });
