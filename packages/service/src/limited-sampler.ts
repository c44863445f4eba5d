import { isSpanContextValid, SamplingDecision, trace, type Sampler } from '@opentelemetry/api';
import { isSampled } from '@billing/tracing/trace-carrier';

/** How many traces a process begins: every one of ordinary traffic, and few of a flood. */
export const NEW_TRACES = { perSecond: 10, burst: 50 };

/**
 * Samples a span as its parent was, and a span without a parent but with links, as a batch has, when a span that it is linked
 * to was. Any other span begins a trace, which is sampled while `mayBegin` returns true.
 */
export const limitedSampler = (mayBegin: () => boolean): Sampler => ({
  shouldSample(context, _traceId, _name, _kind, _attributes, links) {
    const parent = trace.getSpanContext(context);
    const isChosen =
      parent && isSpanContextValid(parent)
        ? isSampled(parent)
        : links.length > 0
          ? links.some(link => isSampled(link.context))
          : mayBegin();
    return { decision: isChosen ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  },
  toString: () => 'LimitedSampler',
});
