import { BillingError } from '@billing/client';

interface Failure {
  readonly title: string;
  readonly message: string;
  readonly requestId: string | undefined;
}

const TITLES: Readonly<Record<string, string>> = {
  connection_failed: 'You seem to be offline',
  timed_out: 'The service did not respond in time',
  forbidden: 'Your role does not allow this',
  rate_limited: 'Too many requests',
  unavailable: 'A part of the service is not available',
};

/** Returns an error as people read it: what happened, why, and the id under which the logs have it. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof BillingError))
    return {
      title: 'This page failed',
      message: error instanceof Error ? error.message : String(error),
      requestId: undefined,
    };
  const { code, status, requestId, fields } = error;
  const message = fields[0] ? fields.map(field => field.message).join(' ') : error.message;
  return { title: TITLES[code] ?? (status >= 500 ? 'The service failed' : 'This was refused'), message, requestId };
}

/** Returns what is wrong with a field of the request that was refused. */
export function problemOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof BillingError)) return undefined;
  return error.fields.find(({ path }) => path === field)?.message;
}

export const hasCode = (error: unknown, code: string): boolean => error instanceof BillingError && error.code === code;
