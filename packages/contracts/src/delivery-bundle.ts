import { z } from 'zod';

/** Where the webhooks service takes bundles. The gateway routes nobody there. */
export const DELIVERIES_PATH = '/internal/deliveries';
/** Bodies that travel together, in bytes; one that is larger travels alone. */
export const BUNDLE_BYTES = 4 * 1_048_576;
/** Deliveries that travel together. */
export const BUNDLE_SIZE = 256;

/** One delivery of an event: what the processor posted at a team's address. */
export interface Delivery {
  /** As it stands in the path; nobody has looked whether there is such a team. */
  readonly teamId: string;
  /** The `Stripe-Signature` header. */
  readonly signature?: string | undefined;
  readonly requestId: string;
  /** W3C trace context of the request. */
  readonly trace: Readonly<Record<string, string>>;
  /** The bytes that were signed. */
  readonly body: Buffer;
}

const head = z.array(
  z.object({
    teamId: z.string(),
    signature: z.string().optional(),
    requestId: z.string(),
    trace: z.record(z.string(), z.string()),
    /** Bytes of its body. */
    length: z.int().min(0),
  }),
);

/** How each delivery of a bundle is answered, in the order of the bundle. */
export const bundleResponse = z.object({
  answers: z.array(z.object({ status: z.int(), retryAfterSeconds: z.number().optional(), body: z.unknown() })),
});
export type BundleResponse = z.output<typeof bundleResponse>;
export type DeliveryResponse = BundleResponse['answers'][number];

/** Bytes of a number that says how long the head is. */
const LENGTH_BYTES = 4;

/** Writes deliveries one after the other: the length of a head, the head in JSON, and the bodies as they are. */
export function encodeBundle(deliveries: readonly Delivery[]): Buffer {
  const heads = deliveries.map(({ body, ...rest }) => ({ ...rest, length: body.length }));
  const written = Buffer.from(JSON.stringify(heads));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(written.length);
  return Buffer.concat([length, written, ...deliveries.map(({ body }) => body)]);
}

/**
 * Reads what {@link encodeBundle} wrote; the bodies are views of `bytes`.
 * @throws Error when it is something else
 */
export function decodeBundle(bytes: Buffer): Delivery[] {
  if (bytes.length < LENGTH_BYTES) throw new Error('A bundle of deliveries is cut off.');
  const start = LENGTH_BYTES + bytes.readUInt32BE();
  let end = start;
  const deliveries = head.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, start))).map(({ length, ...rest }) => {
    end += length;
    return { ...rest, body: bytes.subarray(end - length, end) };
  });
  if (end !== bytes.length) throw new Error('A bundle of deliveries is cut off.');
  return deliveries;
}
