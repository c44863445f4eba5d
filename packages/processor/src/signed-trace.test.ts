import { describe, expect, it } from 'vitest';
import { openSignedTraces, TRACE_KEY } from './signed-trace.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traces = openSignedTraces(Buffer.alloc(32, 1));

describe('a trace in metadata', () => {
  it('is read by who has the key, for the team that it was signed for', () => {
    const metadata = traces.sign('team_a', { traceparent });
    expect(traces.read('team_a', { plan: 'x', ...metadata })).toEqual({ traceparent });
    expect(traces.read('team_b', metadata)).toBeUndefined();
    expect(openSignedTraces(Buffer.alloc(32, 2)).read('team_a', metadata)).toBeUndefined();
  });

  it('fits into a value of Stripe', () => {
    expect(traces.sign('team_a', { traceparent })[TRACE_KEY]?.length).toBeLessThan(500);
  });

  it('is not there without a trace', () => {
    expect(traces.sign('team_a', {})).toEqual({});
    expect(traces.read('team_a', {})).toBeUndefined();
    expect(traces.read('team_a', null)).toBeUndefined();
  });

  it.each(['', traceparent, `${traceparent}.`, `${traceparent}.AAAAAAAAAAAAAAAAAAAAAA`, 'x.y.z', 7])(
    'is ignored when it was not signed here: %s',
    value => expect(traces.read('team_a', { [TRACE_KEY]: value })).toBeUndefined(),
  );

  it('is ignored when another trace stands before the signature', () => {
    const [, mac] = String(traces.sign('team_a', { traceparent })[TRACE_KEY]).split('.');
    expect(traces.read('team_a', { [TRACE_KEY]: `${traceparent.replace('-01', '-00')}.${mac}` })).toBeUndefined();
  });
});
