import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasCode } from '#api/failure.ts';
import { queryClient } from '#api/client.ts';
import { EntryCard } from '#pages/sign-in/entry-card.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';

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
    <EntryCard title="Page not found" lead="The address may be misspelled, or what it showed was deleted.">
      <div>
        <Link to="/" className="button primary">
          Back to the console
        </Link>
      </div>
    </EntryCard>
  );
}

export function PendingPage() {
  return (
    <div className="page">
      <SkeletonLines lines={8} />
    </div>
  );
}
