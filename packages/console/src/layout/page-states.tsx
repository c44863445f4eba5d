import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EntryCard } from '#pages/sign-in/entry-card.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';

/** A page that failed, with its reason and request id. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
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
