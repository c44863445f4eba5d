import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EntryCard } from '#pages/sign-in/entry-card.tsx';
import { hasCode, missingRecord } from '#api/failure.ts';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';

/** A page that failed, with its reason and request id. What the session may not see is not there, for the reader. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const missing = missingRecord(error) ?? (hasCode(error, 'forbidden') ? 'project' : undefined);
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (missing)
    return (
      <EntryCard title={`No such ${missing}`} lead="It was deleted, or you are not a member of its team.">
        <BackToConsole />
      </EntryCard>
    );
  return (
    <div className="page">
      <ErrorState error={error} onRetry={retry} />
      <BackToConsole />
    </div>
  );
}

const BackToConsole = () => (
  <div>
    <Link to="/" className="button primary">
      Back to the console
    </Link>
  </div>
);

export function NotFoundPage() {
  return (
    <EntryCard title="Page not found" lead="The address may be misspelled, or what it showed was deleted.">
      <BackToConsole />
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
