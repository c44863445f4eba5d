import type { ReactNode } from 'react';
import { describeFailure, missingRecord } from '#api/failure.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { RequestId } from './request-id.tsx';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly role?: 'alert' | undefined;
}

/** What is shown where nothing is yet: what would be here, and how to get it. */
export const EmptyState = ({ icon, title, children, action, role }: EmptyStateProps) => (
  <div className="empty" role={role}>
    <Icon name={icon} />
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
);

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/**
 * A failure with its reason and its request id, which finds it in the logs. Where there is nothing with the id in the address,
 * to try again would not help.
 */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const missing = missingRecord(error);
  if (missing)
    return (
      <EmptyState role="alert" icon="search" title={`No such ${missing}`}>
        Its address may be misspelled, or it was deleted, or it belongs to another project.
      </EmptyState>
    );
  const { title, message, requestId } = describeFailure(error);
  const action = (
    <>
      <RequestId id={requestId} />
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </>
  );
  return (
    <EmptyState role="alert" icon="warning" title={title} action={action}>
      {message}
    </EmptyState>
  );
}

/** A gray bar where a text is about to be. */
export const Skeleton = ({ width = '100%' }: { readonly width?: string }) => (
  <span className="skeleton" style={{ maxWidth: width }} aria-hidden="true" />
);

export const SkeletonLines = ({ lines = 5 }: { readonly lines?: number | undefined }) => (
  <div className="stack" role="status" aria-busy="true">
    <span className="visually-hidden">Loading…</span>
    {Array.from({ length: lines }, (_, index) => (
      <Skeleton key={index} width={`${90 - ((index * 17) % 45)}%`} />
    ))}
  </div>
);
