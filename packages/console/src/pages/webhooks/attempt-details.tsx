import type { WebhookAttempt } from '@billing/client';
import type { ReactNode } from 'react';
import { Details } from '#ui/details.tsx';
import { StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { attemptOutcome } from './attempt-outcome.ts';

interface AttemptDetailsProps {
  readonly attempt: WebhookAttempt;
  /** Stands below how it ended. */
  readonly children?: ReactNode;
}

/** How one attempt ended, and what came back. */
export function AttemptDetails({ attempt, children }: AttemptDetailsProps) {
  const { at, durationMs, responseStatus, responseBody, address } = attempt;
  return (
    <div className="stack">
      <Details
        of={{
          Result: <StatusBadge of={attemptOutcome(attempt)} />,
          Begun: <Time at={at} show="seconds" />,
          Took: `${durationMs} ms`,
          Address: address && <code>{address}</code>,
        }}
      />
      {children}
      {responseStatus !== null && (
        <div className="stack-s">
          <h3>Response body</h3>
          {responseBody ? (
            <pre className="sent-text" dir="auto">
              {responseBody}
            </pre>
          ) : (
            <p className="muted">
              {responseBody === null ? 'Not kept, because the address is private.' : 'It was empty.'}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
