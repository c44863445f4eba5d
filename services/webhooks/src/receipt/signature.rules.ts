import { createHmac, timingSafeEqual } from 'node:crypto';

/** How old or how far ahead a signature may be, in seconds. */
const TOLERANCE_SECONDS = 300;
/** More signatures than any rotation of secrets needs; what stands beyond is not looked at. */
const MAX_SIGNATURES = 16;

/** A signature that one of the secrets made. */
export interface Signature<Secret> {
  readonly by: Secret;
  /** By the clock that was asked, in seconds; negative for one from the future. */
  readonly ageSeconds: number;
}

/**
 * Finds which of the secrets signed the body, and how old that is by `now`; undefined when none did. Every secret is tried
 * against every signature whatever the result, so that the time taken tells nothing of it.
 * Stripe: https://docs.stripe.com/webhooks#verify-manually
 */
export function findSignature<Secret extends { readonly secret: string }>(
  secrets: readonly Secret[],
  body: Buffer,
  header: string | undefined,
  now: Date,
): Signature<Secret> | undefined {
  const { timestamp, signatures } = readHeader(header ?? '');
  let by: Secret | undefined;
  for (const candidate of secrets) {
    const expected = createHmac('sha256', candidate.secret).update(`${timestamp}.`).update(body).digest();
    for (const signature of signatures) by = timingSafeEqual(expected, signature) ? candidate : by;
  }
  return by && { by, ageSeconds: now.getTime() / 1_000 - Number(timestamp) };
}

/** Whether a signature is from now, or within 300 seconds before or after. */
export const isTimely = (ageSeconds: number): boolean => Math.abs(ageSeconds) <= TOLERANCE_SECONDS;

/** Reads `t=…,v1=…,v1=…`, the timestamp as it stands there, for that is what was signed; other schemes (`v0`) are passed over. */
function readHeader(header: string): { readonly timestamp: string; readonly signatures: readonly Buffer[] } {
  const parts = header.split(',').map(part => {
    const [scheme = '', ...rest] = part.trim().split('=');
    return { scheme, value: rest.join('=') };
  });
  const timestamp = parts.find(({ scheme }) => scheme === 't')?.value ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return { timestamp: '0', signatures: [] };
  const signatures = parts
    .filter(({ scheme, value }) => scheme === 'v1' && /^[0-9a-f]{64}$/.test(value))
    .slice(0, MAX_SIGNATURES)
    .map(({ value }) => Buffer.from(value, 'hex'));
  return { timestamp, signatures };
}
