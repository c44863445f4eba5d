import { ROOT_CONTEXT, SamplingDecision, SpanKind, trace, TraceFlags, type Link } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { limitedSampler } from './limited-sampler.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanOf = (traceFlags: TraceFlags, isRemote = false) => ({
  traceId,
  spanId: 'b7ad6b7169203331',
  traceFlags,
  isRemote,
});
const within = (...parent: Parameters<typeof spanOf>) => trace.setSpanContext(ROOT_CONTEXT, spanOf(...parent));
const linked = (...flags: TraceFlags[]): Link[] => flags.map(traceFlags => ({ context: spanOf(traceFlags) }));

function isSampled(mayBegin: () => boolean, parent = ROOT_CONTEXT, links: Link[] = []): boolean {
  const { decision } = limitedSampler(mayBegin).shouldSample(parent, traceId, 'span', SpanKind.INTERNAL, {}, links);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}
const unasked = () => {
  throw new Error('The limit was asked.');
};

it('begins a trace while the limit admits it', () => {
  expect([isSampled(() => true), isSampled(() => false)]).toEqual([true, false]);
});

it.each([true, false])('follows the parent, remote: %s', isRemote => {
  expect(isSampled(unasked, within(TraceFlags.SAMPLED, isRemote))).toBe(true);
  expect(isSampled(unasked, within(TraceFlags.NONE, isRemote), linked(TraceFlags.SAMPLED))).toBe(false);
});

it('samples a batch when one of its messages is sampled', () => {
  expect(isSampled(unasked, ROOT_CONTEXT, linked(TraceFlags.NONE, TraceFlags.SAMPLED))).toBe(true);
  expect(isSampled(unasked, ROOT_CONTEXT, linked(TraceFlags.NONE))).toBe(false);
});
