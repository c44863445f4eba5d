import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

/** The metadata key of the trace in which a checkout was started. */
export const TRACE_KEY = 'billingTrace';

const MAC_BYTES = 16;

/**
 * Signs traces that travel through the processor's metadata, and reads them. A team can write any metadata into its account,
 * so that a trace counts only with a signature for this team: nobody can write into the trace of others, or force sampling.
 */
export interface SignedTraces {
  /** Returns the metadata that carries the trace; empty without a trace. */
  sign(teamId: string, trace: TraceCarrier): Readonly<Record<string, string>>;
  /** Returns the trace that the metadata of a team's object carry; undefined for none, or one that was not signed here. */
  read(teamId: string, metadata: unknown): TraceCarrier | undefined;
}

/** `serviceKey` is that of the service that starts checkouts. */
export function openSignedTraces(serviceKey: Buffer): SignedTraces {
  const key = Buffer.from(hkdfSync('sha256', serviceKey, '', 'billing signed trace', 32));
  const macOf = (teamId: string, traceparent: string) =>
    createHmac('sha256', key).update(`${teamId} ${traceparent}`).digest().subarray(0, MAC_BYTES);

  return {
    sign(teamId, { traceparent }) {
      if (traceparent === undefined) return {};
      return { [TRACE_KEY]: `${traceparent}.${macOf(teamId, traceparent).toString('base64url')}` };
    },
    read(teamId, metadata) {
      const signed: unknown = Object(metadata)[TRACE_KEY];
      if (typeof signed !== 'string') return undefined;
      const [traceparent = '', mac = ''] = signed.split('.');
      const given = Buffer.from(mac, 'base64url');
      if (given.length !== MAC_BYTES || !timingSafeEqual(given, macOf(teamId, traceparent))) return undefined;
      return { traceparent };
    },
  };
}
