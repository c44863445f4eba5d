import type { WebhookAttempt } from '@billing/client';
import type { StatusText } from '#ui/statuses.tsx';

const ERRORS: Readonly<Record<string, string>> = {
  timeout: 'No response within 15 seconds',
  connect_timeout: 'No connection within 5 seconds',
  connection_refused: 'The connection was refused',
  connection_error: 'The connection broke',
  dns_error: 'The name of the host was not found',
  tls_error: 'The certificate or TLS failed',
  address_not_allowed: 'The address is not public',
};

export const TRIGGERS: Readonly<Record<WebhookAttempt['trigger'], string>> = {
  automatic: 'Automatic',
  manual: 'By hand',
  recovery: 'A recovery',
  test: 'A test',
};

/** Says how an attempt ended: any 2xx is a success. */
export function attemptOutcome({
  responseStatus,
  error,
}: Pick<WebhookAttempt, 'responseStatus' | 'error'>): StatusText {
  if (responseStatus === null) return { name: ERRORS[error ?? ''] ?? error ?? 'No response', tone: 'bad' };
  const isSuccess = responseStatus >= 200 && responseStatus < 300;
  return { name: `HTTP ${responseStatus}`, tone: isSuccess ? 'good' : 'bad' };
}
