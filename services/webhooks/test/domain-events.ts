import type { Envelope } from '@billing/contracts/event';
import { CustomerCreated, type CustomerState } from '@billing/contracts/events/customers';
import { CustomerId, type ProjectId, type TeamId } from '@billing/contracts/ids';
import { ProcessorEventCompleted, type Completion } from '@billing/contracts/processor-events';
import { newEvent } from '@billing/testing/events';

/** A customer record of a project, for the given customer at Stripe. */
export function customerState(projectId: ProjectId, processorCustomerId: string): CustomerState {
  const fields = { projectId, email: 'ada@example.com', name: null, version: 1 };
  const link = { processorCustomerId, externalId: null, linkedToExisting: false, balance: null };
  return { id: CustomerId.create(), ...fields, ...link, createdAt: new Date(), deletedAt: null };
}

export const customerCreated = (teamId: TeamId, projectId: ProjectId, processorCustomerId: string): Envelope =>
  newEvent(CustomerCreated, teamId, customerState(projectId, processorCustomerId));

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
