import type { Sync, SyncFinding } from '@billing/client';
import type { ReactNode } from 'react';
import { exportedColumn } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { StatusBadge } from '#ui/statuses.tsx';
import { CATALOG_OUTCOME, explainItem, staysText } from './catalog-words.ts';
import { FoundObject } from './finding-columns.tsx';
import { differencesOf, differencesText, fieldName, valueText } from './finding-words.ts';

/** The columns of a comparison with a document: what this project has beside what the document says. */
export const catalogColumns = (mode: Sync['mode']): readonly Column<SyncFinding>[] => [
  { title: 'Item', cell: finding => <FoundObject finding={finding} /> },
  { title: 'Found', width: 'status', cell: ({ outcome }) => <StatusBadge of={CATALOG_OUTCOME[outcome]} /> },
  { title: 'This project', cell: finding => <Values finding={finding} side="ours" of="this project" /> },
  { title: 'The document', cell: finding => <Values finding={finding} side="theirs" of="the document" /> },
  { title: 'What happens', cell: finding => <WhatHappens finding={finding} mode={mode} /> },
];

/** The columns of an export of such findings. */
export const exportedItems = (mode: Sync['mode']): readonly Column<SyncFinding>[] => [
  exportedColumn('Type', ({ type }) => type),
  exportedColumn('Key', ({ key }) => key),
  exportedColumn('Name', ({ name }) => name),
  exportedColumn('Outcome', ({ outcome }) => outcome),
  exportedColumn('Action', ({ action }) => action),
  exportedColumn('Applied', ({ applied }) => applied),
  exportedColumn('What happens', finding => explainItem(finding, mode)),
  exportedColumn('Differences (this project → the document)', differencesText),
  exportedColumn('Subscriptions that stay', ({ liveSubscriptions }) => liveSubscriptions),
  exportedColumn('Id', ({ id }) => id),
];

interface ValuesProps {
  readonly finding: SyncFinding;
  readonly side: 'ours' | 'theirs';
  readonly of: string;
}

/** The fields that differ, as one side has them. */
function Values({ finding, side, of }: ValuesProps): ReactNode {
  const isThere = finding.outcome === (side === 'ours' ? 'missing' : 'extra') ? false : finding.fields.length > 0;
  if (!isThere) return <span className="muted">–</span>;
  return (
    <ul className="differences" aria-label={`Fields of ${of}`}>
      {differencesOf(finding)
        .filter(({ field, ours, theirs }) => !isWhole(finding) || saysSomething(field, theirs ?? ours))
        .map(difference => (
          <li key={difference.field}>
            <strong>{fieldName(difference.field)}</strong>: <bdi>{valueText(difference[side])}</bdi>
          </li>
        ))}
    </ul>
  );
}

/** Whether the fields are all those of an item that only one side has. */
const isWhole = ({ outcome }: SyncFinding): boolean => outcome === 'missing' || outcome === 'extra';

/** Whether a field of such an item is more than its default, and not shown already. */
const saysSomething = (field: string, value: unknown): boolean =>
  !['key', 'name', 'isActive'].includes(field) && JSON.stringify(value) !== '{}';

/** What an apply does with an item, or has done, and who stays where they are. */
function WhatHappens({ finding, mode }: { readonly finding: SyncFinding; readonly mode: Sync['mode'] }) {
  const { migration, applied } = finding;
  const stays = staysText(finding);
  return (
    <>
      <div>{explainItem(finding, mode)}</div>
      {stays && <div className="muted">{stays}</div>}
      {stays && applied && migration && (
        <ProjectLink page="price-migrations" search={{ from: migration.fromPriceId }}>
          Move them…
        </ProjectLink>
      )}
    </>
  );
}
