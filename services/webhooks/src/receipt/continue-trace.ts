import type { TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { withLinkedSpan } from '@billing/messaging/spans';
import { currentTrace, type TraceCarrier } from '@billing/tracing/trace-carrier';
import { TRACE_KEY, type SignedTraces } from '@billing/processor/signed-trace';
import type { IncomingEvent } from './incoming-event.rules.ts';

/** What a checkout leads to at once. Later events of a subscription have its metadata too, and traces of their own. */
const CONTINUED: ReadonlySet<ProcessorEventType> = new Set([
  'checkout.session.completed',
  'customer.subscription.created',
]);

export type ContinueTrace = ReturnType<typeof continueTrace>;

/**
 * Stores an event within the right trace, which `store` gets. An event that a checkout led to continues the trace of the
 * request that started the checkout, which is in the object's metadata, with a link to the trace of the webhook. Any other
 * event stays in the current trace, and so does one when `mayContinue` returns false: a team can put the trace of one checkout
 * into any number of its objects.
 */
export const continueTrace =
  (traces: Pick<SignedTraces, 'read'>, mayContinue: () => boolean) =>
  <Result>(teamId: TeamId, event: IncomingEvent, store: (trace: TraceCarrier) => Promise<Result>): Promise<Result> => {
    const carrier = traceBehind(traces, teamId, event);
    if (!carrier || !mayContinue()) return store(currentTrace());
    const attributes = { 'billing.team.id': teamId, 'messaging.message.id': event.id };
    return withLinkedSpan(`receive ${event.type}`, { carrier, attributes }, store);
  };

function traceBehind(traces: Pick<SignedTraces, 'read'>, teamId: TeamId, { content }: IncomingEvent) {
  // Parsing each object again would cost more than all of tracing.
  if (!content || !CONTINUED.has(content.type) || !content.object.includes(`"${TRACE_KEY}"`)) return undefined;
  return traces.read(teamId, JSON.parse(content.object).metadata);
}
