import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { tracePropagator } from './trace-propagator.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const received = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=1', baggage: 'user=1' };
const extract = (isPublic: boolean, headers: object) =>
  tracePropagator({ isPublic }).extract(ROOT_CONTEXT, headers, defaultTextMapGetter);

it('continues the trace of another process, without its state and baggage', () => {
  const within = extract(false, received);
  expect(trace.getSpanContext(within)).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true });
  const sent = {};
  tracePropagator({ isPublic: false }).inject(within, sent, defaultTextMapSetter);
  expect(sent).toEqual({ traceparent: received.traceparent });
});

it('begins a new trace in a public process', () => {
  expect(extract(true, received)).toBe(ROOT_CONTEXT);
});

it.each(['', 'x', `01-${traceId}-${spanId}-01`, `00-${'0'.repeat(32)}-${spanId}-01`, `00-${traceId}-${spanId}-01\n`])(
  'takes %j for no trace',
  traceparent => {
    expect(trace.getSpanContext(extract(false, { traceparent }))).toBeUndefined();
  },
);

it('sends nothing while there is no trace', () => {
  const sent = {};
  tracePropagator({ isPublic: true }).inject(ROOT_CONTEXT, sent, defaultTextMapSetter);
  expect(sent).toEqual({});
});
