import { z } from 'zod';

/** Where the webhooks service receives bundles. The gateway exposes no route to it. */
export const DELIVERIES_PATH = '/internal/deliveries';
/** The most bytes of bodies in one bundle; a larger body is sent alone. */
export const BUNDLE_BYTES = 4 * 1_048_576;
/** The most deliveries in one bundle. */
export const BUNDLE_SIZE = 256;

/** One webhook delivery: what the processor posted to a team's webhook URL. */
export interface Delivery {
  /** From the path; not checked to exist. */
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
    /** Length of the body in bytes. */
    length: z.int().min(0),
  }),
);

/** The response to each delivery, in the order of the bundle. */
export const bundleResponse = z.object({
  responses: z.array(z.object({ status: z.int(), retryAfterSeconds: z.number().optional(), body: z.unknown() })),
});
export type BundleResponse = z.output<typeof bundleResponse>;
export type DeliveryResponse = BundleResponse['responses'][number];

/** Size of the length prefix of the head. */
const LENGTH_BYTES = 4;

/** Encodes deliveries: the length of the head (32 bits, big-endian), the head as JSON, then the bodies byte for byte. */
export function encodeBundle(deliveries: readonly Delivery[]): Buffer {
  const heads = deliveries.map(({ body, ...rest }) => ({ ...rest, length: body.length }));
  const encodedHead = Buffer.from(JSON.stringify(heads));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(encodedHead.length);
  return Buffer.concat([length, encodedHead, ...deliveries.map(({ body }) => body)]);
}

/**
 * Decodes what {@link encodeBundle} returned. The bodies are views of `bytes`.
 * @throws Error when `bytes` is not a complete bundle
 */
export function decodeBundle(bytes: Buffer): Delivery[] {
  if (bytes.length < LENGTH_BYTES) throw new Error('The bundle of deliveries is incomplete.');
  const start = LENGTH_BYTES + bytes.readUInt32BE();
  let end = start;
  const deliveries = head.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, start))).map(({ length, ...rest }) => {
    end += length;
    return { ...rest, body: bytes.subarray(end - length, end) };
  });
  if (end !== bytes.length) throw new Error('The bundle of deliveries is incomplete.');
  return deliveries;
}
