import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasCode } from '#api/failure.ts';
import { queryClient } from '#api/client.ts';
import { EmptyState, ErrorState, SkeletonLines } from '#ui/states.tsx';

/** A page that failed, with its reason and request id. A session that has ended leads to sign-in. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isSignedOut = hasCode(error, 'unauthorized');
  useEffect(() => {
    if (!isSignedOut) return;
    queryClient.clear();
    location.assign(`/sign-in?from=${encodeURIComponent(location.pathname + location.search)}`);
  }, [isSignedOut]);
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="page">
      <ErrorState error={error} onRetry={retry} />
      <p className="row">
        <Link to="/" className="button">
          Go to the start
        </Link>
      </p>
    </div>
  );
}

export function NotFoundPage() {
  return (
    <div className="page">
      <EmptyState
        icon="search"
        title="There is no such page"
        action={
          <Link to="/" className="button">
            Go to the start
          </Link>
        }
      >
        The address may be misspelled, or what it showed was deleted.
      </EmptyState>
    </div>
  );
}

export function PendingPage() {
  return (
    <div className="page">
      <SkeletonLines lines={8} />
    </div>
  );
}
