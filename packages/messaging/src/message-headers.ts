import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

/** Returns the headers of a message that carries a trace. */
export function headersOf(carrier: TraceCarrier): MsgHdrs {
  const carried = headers();
  for (const [name, value] of Object.entries(carrier)) carried.set(name, value);
  return carried;
}

/** Returns the trace that a message carries. */
export function carriedBy(message: { readonly headers?: MsgHdrs | undefined }): TraceCarrier {
  const traceparent = message.headers?.get('traceparent');
  return traceparent ? { traceparent } : {};
}
