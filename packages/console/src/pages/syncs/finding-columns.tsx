import type { Sync, SyncFinding } from '@billing/client';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { productsQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { exportedColumn } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink, type Place } from '#layout/project-link.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { FINDING_OUTCOME, StatusBadge } from '#ui/statuses.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import { differencesOf, differencesText, explainFinding, fieldName, valueText } from './finding-words.ts';
import { SYNC_TYPE } from './types.ts';

/** The columns of the findings of a report or an apply. */
export const findingColumns = (mode: Sync['mode']): readonly Column<SyncFinding>[] => [
  { title: 'Object', cell: finding => <FoundObject finding={finding} /> },
  { title: 'Of', cell: ({ belongsTo }) => belongsTo && <Parent of={belongsTo} /> },
  { title: 'Found', width: 'status', cell: ({ outcome }) => <StatusBadge of={FINDING_OUTCOME[outcome]} /> },
  { title: 'Why', cell: finding => <Why finding={finding} mode={mode} /> },
];

/** The columns of an export of findings. */
export const exportedFindings = (mode: Sync['mode']): readonly Column<SyncFinding>[] => [
  exportedColumn('Type', ({ type }) => type),
  exportedColumn('Name', ({ name }) => name),
  exportedColumn('Outcome', ({ outcome }) => outcome),
  exportedColumn('Taken over', ({ applied }) => applied),
  exportedColumn('Why', finding => explainFinding(finding, mode)),
  exportedColumn('Differences (here → at Stripe)', differencesText),
  exportedColumn('Stripe id', ({ processorId }) => processorId),
  exportedColumn('Id', ({ id }) => id),
  exportedColumn('Belongs to', ({ belongsTo }) => belongsTo?.name),
  exportedColumn('Belongs to: Stripe id', ({ belongsTo }) => belongsTo?.processorId),
  exportedColumn('Belongs to: id', ({ belongsTo }) => belongsTo?.id),
];

/** The name of an object, as a link to its record if there is one, and its id at Stripe or its key. */
export function FoundObject({ finding }: { readonly finding: SyncFinding }) {
  const { type, name, processorId, key } = finding;
  const place = placeOf(finding);
  const kind = SYNC_TYPE[type].one;
  const recorded = useRecordName(finding);
  const shown = name ? <bdi>{name}</bdi> : (recorded ?? kind);
  return (
    <>
      {place ? (
        <ProjectLink {...place} className="primary-cell">
          {shown}
        </ProjectLink>
      ) : (
        <strong>{shown}</strong>
      )}
      <div className="row small muted">
        {shown !== kind && kind}{' '}
        {processorId && <StripeId id={processorId} what={`${kind.toLowerCase()} ${processorId}`} />}
        {key !== null && key !== type && <code>{key}</code>}
      </div>
    </>
  );
}

/** The name that the record of a finding has; of what Stripe does not have any more only that is known. */
function useRecordName({ type, id }: SyncFinding): ReactNode {
  const names = useProductNames();
  const { data: products } = useQuery(productsQuery(useProject()));
  if (id === null) return undefined;
  if (type === 'customer') return <CustomerName id={id} />;
  return type === 'price' ? names.ofPrice(id) : products?.find(product => product.id === id)?.name;
}

/** Where a finding's record is shown, if there is one; a price on the page of its product. */
function placeOf({ type, id, key, belongsTo }: SyncFinding): Place | undefined {
  if (type === 'portal') return { page: 'settings/portal' };
  if (type === 'settings') return { page: 'settings/project' };
  if (id === null) return undefined;
  if (type === 'feature') return { page: `features/${key ?? id}` };
  if (type === 'price') return { page: belongsTo?.id ? `products/${belongsTo.id}` : 'products' };
  return { page: type === 'promotion_code' ? `promotion-codes/${id}` : `${type}s/${id}` };
}

function Parent({ of: { type, id, name, processorId } }: { readonly of: NonNullable<SyncFinding['belongsTo']> }) {
  const shown = name ? <bdi>{name}</bdi> : <code>{processorId}</code>;
  return id ? <ProjectLink page={`${type}s/${id}`}>{shown}</ProjectLink> : shown;
}

/** Why it was found or what became of it, and each field that differs with both values. */
function Why({ finding, mode }: { readonly finding: SyncFinding; readonly mode: Sync['mode'] }): ReactNode {
  return (
    <>
      <div>{explainFinding(finding, mode)}</div>
      {finding.fields.length > 0 && (
        <ul className="differences" aria-label="Fields that differ">
          {differencesOf(finding).map(({ field, ours, theirs }) => (
            <li key={field}>
              <strong>{fieldName(field)}</strong>: <bdi>{valueText(ours)}</bdi> here, <bdi>{valueText(theirs)}</bdi> at
              Stripe
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
