import { randomBytes } from 'node:crypto';
import { TeamId } from '@billing/contracts/ids';
import { openSignedTraces, TRACE_KEY } from '@billing/processor/signed-trace';
import { expect, it } from 'vitest';
import type { IncomingEvent } from './incoming-event.rules.ts';
import { continueTrace } from './continue-trace.ts';

const teamId = TeamId.create();
const carrier = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const traces = openSignedTraces(randomBytes(32));

const eventWith = (metadata: object): IncomingEvent =>
  ({
    id: 'evt_1',
    type: 'x',
    content: { type: 'checkout.session.completed', object: JSON.stringify({ metadata }) },
  }) as never; // what the trace depends on

const traceOf = (metadata: object, mayContinue = true) =>
  continueTrace(traces, () => mayContinue)(teamId, eventWith(metadata), async trace => trace);

it('continues the trace in which the checkout was started', async () => {
  expect(await traceOf(traces.sign(teamId, carrier))).toEqual(carrier);
});

it('stays in the current trace beyond the limit, whatever the metadata say', async () => {
  expect(await traceOf(traces.sign(teamId, carrier), false)).toEqual({});
});

it.each([
  ['of another team', traces.sign(TeamId.create(), carrier)],
  ['without a signature', { [TRACE_KEY]: carrier.traceparent }],
])('takes no trace %s', async (_case, metadata) => {
  expect(await traceOf(metadata)).toEqual({});
});
