import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Page, type PageProps } from './page.tsx';

/** A query that has returned nothing yet. */
interface LoadingQuery {
  readonly data: unknown;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface LoadingProps {
  readonly query: LoadingQuery;
  readonly lines?: number;
  readonly flush?: boolean;
}

/** What is shown while a query has no data: gray lines, or why it failed. Nothing once it has. */
export function Loading({ query, lines, flush }: LoadingProps) {
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data !== undefined) return null;
  const skeleton = <SkeletonLines lines={lines} />;
  return flush ? <div className="card-body">{skeleton}</div> : skeleton;
}

/** A page whose query has no data yet. */
export const LoadingPage = ({ query, ...page }: Omit<PageProps, 'children'> & { readonly query: LoadingQuery }) => (
  <Page {...page}>
    <Loading query={query} />
  </Page>
);
