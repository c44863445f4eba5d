import type { ReactNode } from 'react';
import { describeFailure, missingRecord } from '#api/failure.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** What is shown where nothing is yet: what would be here, and how to get it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A failure with its reason and its request id, which finds it in the logs. */
export function ErrorState({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}) {
  const missing = missingRecord(error);
  if (missing) return <MissingState noun={missing} />;
  const { title, message, requestId } = describeFailure(error);
  return (
    <div className="empty" role="alert">
      <Icon name="warning" />
      <h2>{title}</h2>
      <p>{message}</p>
      {requestId && (
        <p className="small">
          Request id <code>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** That there is nothing with the id in the address; to try again would not help. */
function MissingState({ noun }: { readonly noun: string }) {
  return (
    <div className="empty" role="alert">
      <Icon name="search" />
      <h2>No such {noun}</h2>
      <p>Its address may be misspelled, or it was deleted, or it belongs to another project.</p>
    </div>
  );
}

/** A gray bar where a text is about to be. */
export function Skeleton({ width = '100%' }: { readonly width?: string }) {
  return <span className="skeleton" style={{ maxWidth: width }} aria-hidden="true" />;
}

export function SkeletonLines({ lines = 5 }: { readonly lines?: number | undefined }) {
  return (
    <div className="stack" role="status" aria-busy="true">
      <span className="visually-hidden">Loading…</span>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} width={`${90 - ((index * 17) % 45)}%`} />
      ))}
    </div>
  );
}
