import { Fragment, type ReactNode } from 'react';

interface DetailsProps {
  /** Terms and their values; a term without a value is left out. */
  readonly of: Readonly<Record<string, ReactNode>>;
  readonly narrow?: boolean;
  /** More terms and values. */
  readonly children?: ReactNode;
}

/** A list of terms with what each stands for. */
export function Details({ of, narrow, children }: DetailsProps) {
  const rows = Object.entries(of).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return (
    <dl className={narrow ? 'details narrow' : 'details'}>
      {rows.map(([term, value]) => (
        <Fragment key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
      {children}
    </dl>
  );
}

/** What a caller has noted about a record, as further rows of its details. */
export const MetadataRows = ({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) =>
  Object.entries(metadata).map(([name, value]) => (
    <Fragment key={name}>
      <dt>
        <code>{name}</code>
      </dt>
      <dd dir="auto">{value}</dd>
    </Fragment>
  ));
