import type { Sync, SyncFinding } from '@billing/client';
import type { ReactNode } from 'react';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink, type Search } from '#layout/project-link.tsx';
import { formatCount } from '#ui/amount.ts';
import { FINDING_OUTCOME } from '#ui/statuses.tsx';
import { CATALOG_OUTCOME } from './catalog-words.ts';
import { totalsOfType } from './sync-counts.ts';
import { SYNC_TYPE } from './types.ts';

type SyncType = Sync['types'][number];

/** How many objects of each type have which outcome, of those that there are; each number leads to its findings. */
export function CountsTable({ sync }: { readonly sync: Sync }) {
  const { id, kind, types, counts, mode } = sync;
  const number = (count: number, search: Search) =>
    count === 0 ? (
      <span className="muted">0</span>
    ) : (
      <ProjectLink page={`settings/syncs/${id}`} search={search}>
        {formatCount(count)}
      </ProjectLink>
    );
  const ofKind = kind === 'catalog' ? CATALOG_OUTCOME : FINDING_OUTCOME;
  const outcomes = Object.entries(ofKind) as [SyncFinding['outcome'], { name: string }][]; // an object's keys are typed as string
  const found = outcomes.filter(([outcome]) => types.some(type => (counts[type]?.[outcome] ?? 0) > 0));
  const columns: readonly Column<SyncType>[] = [
    { title: 'Type', cell: type => <strong>{SYNC_TYPE[type].name}</strong> },
    { title: 'Equal', width: 'count', end: true, cell: type => formatCount(counts[type]?.same ?? 0) },
    ...found.map(([outcome, { name }]): Column<SyncType> => ({
      title: name,
      width: 'count',
      end: true,
      cell: type => number(counts[type]?.[outcome] ?? 0, { type, outcome }),
    })),
    ...(mode === 'apply' ? takenColumns(sync, number) : []),
  ];
  return <DataTable rows={types} columns={columns} rowKey={type => type} />;
}

const takenColumns = (
  sync: Sync,
  number: (count: number, search: Search) => ReactNode,
): readonly Column<SyncType>[] => [
  {
    title: 'Taken over',
    width: 'count',
    end: true,
    cell: type => number(totalsOfType(sync, type).applied, { type, taken: 'yes' }),
  },
  {
    title: 'Not taken over',
    width: 118,
    end: true,
    cell: type => {
      const { found, applied } = totalsOfType(sync, type);
      return number(found - applied, { type, taken: 'no' });
    },
  },
];
