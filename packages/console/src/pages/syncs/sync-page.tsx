import type { Sync, SyncFinding } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { DataTable } from '#layout/data-table.tsx';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import type { Column } from '#layout/list-table.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { ProjectLink, type Search } from '#layout/project-link.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { formatCount } from '#ui/amount.ts';
import { EmptyState } from '#ui/states.tsx';
import { FINDING_OUTCOME } from '#ui/statuses.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { isFiltered } from './apply-plan.ts';
import { exportedFindings, findingColumns } from './finding-columns.tsx';
import { RunLead } from './run.tsx';
import { StopButton } from './run.tsx';
import { isOpen, totalsOf, totalsOfType } from './sync-counts.ts';
import { SyncProgress } from './sync-progress.tsx';
import { SYNC_TYPE, syncName, TAKEN } from './types.ts';
import { RUNNING_MS } from './use-newest-syncs.ts';

const UP = { page: 'settings/syncs', title: 'Syncs' } as const;

/** One sync: how far it is, what it has found of each type, and each finding. */
export function SyncPage() {
  const { billing, key } = useProject();
  const { syncId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: key('syncs', syncId),
    queryFn: ({ signal }) => billing.syncs.get(syncId, { signal }),
    refetchInterval: ({ state }) => (isOpen(state.data) ? RUNNING_MS : false),
  });
  const { data: sync } = query;
  if (!sync) return <LoadingPage query={query} title="Sync" up={UP} />;
  return (
    <Page
      title={`Sync: ${syncName(sync).toLowerCase()}`}
      lead={<Lead sync={sync} />}
      up={UP}
      actions={<SyncButtons sync={sync} />}
    >
      <Card title="By type" flush={!isOpen(sync)}>
        {isOpen(sync) ? <SyncProgress sync={sync} /> : <CountsTable sync={sync} />}
      </Card>
      <Findings sync={sync} />
    </Page>
  );
}

function SyncButtons({ sync }: { readonly sync: Sync }) {
  if (isOpen(sync)) return <StopButton of="sync" id={sync.id} />;
  const isApplicable = sync.mode === 'report' && sync.status === 'completed' && totalsOf(sync).found > 0;
  const dialog = <ApplyDialog report={sync} wanted={{ types: sync.types, filter: sync.filter }} />;
  return isApplicable && <DialogButton dialog={dialog}>Apply…</DialogButton>;
}

function Lead({ sync }: { readonly sync: Sync }) {
  const { markAtProcessor, filter } = sync;
  return (
    <>
      <RunLead run={sync} />
      {isFiltered(sync) && (
        <>
          {' · only objects with the metadata '}
          <code>{JSON.stringify(filter.metadata)}</code>
          {filter.includeUnmarked && ', or without these keys'}
        </>
      )}
      {markAtProcessor && ' · writes the ids of the records into the metadata at Stripe'}
    </>
  );
}

function Findings({ sync }: { readonly sync: Sync }) {
  const { id, status, mode } = sync;
  const { billing, key } = useProject();
  const filters = useFilters();
  const type = filters.oneOf('type', SYNC_TYPE);
  const outcome = filters.oneOf('outcome', FINDING_OUTCOME);
  const taken = mode === 'apply' ? filters.oneOf('taken', TAKEN) : undefined;
  const wanted = { type, outcome, ...(taken && { applied: taken === 'yes' }) };
  return (
    <>
      <div className="filters">
        <SelectFilter name="type" label="Type" options={SYNC_TYPE} all="All types" />
        <SelectFilter name="outcome" label="Found" options={FINDING_OUTCOME} all="All findings" />
        {mode === 'apply' && <SelectFilter name="taken" label="Taken over" options={TAKEN} all="Taken over or not" />}
        <ExportButton<SyncFinding>
          name={`findings-${id}`}
          columns={exportedFindings(mode)}
          list={(page, signal) => billing.syncs.findings(id, { ...wanted, ...page }, { signal })}
        />
      </div>
      <Card flush>
        <PagedTable<SyncFinding>
          label="Findings"
          queryKey={key('syncs', id, 'findings', status, wanted)}
          list={(page, signal) => billing.syncs.findings(id, { ...wanted, ...page }, { signal })}
          columns={findingColumns(mode)}
          rowKey={finding => `${finding.type} ${finding.processorId}`}
          empty={<NothingFound sync={sync} isFilteredList={Boolean(type || outcome || taken)} />}
          {...(isOpen(sync) && { refreshMs: RUNNING_MS * 3 })}
        />
      </Card>
    </>
  );
}

function NothingFound({ sync, isFilteredList }: { readonly sync: Sync; readonly isFilteredList: boolean }) {
  if (totalsOf(sync).found > 0)
    return (
      <EmptyState icon="search" title="Nothing here">
        {isFilteredList ? 'No finding matches the filters.' : 'The findings of a sync are deleted after 30 days.'}
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title="Nothing to show">
      {isOpen(sync) ? 'Nothing found so far.' : 'The records equal the account.'}
    </EmptyState>
  );
}

type SyncType = Sync['types'][number];

/** How many objects of each type have which outcome, of those that there are; each number leads to its findings. */
function CountsTable({ sync }: { readonly sync: Sync }) {
  const { id, types, counts, mode } = sync;
  const number = (count: number, search: Search) =>
    count === 0 ? (
      <span className="muted">0</span>
    ) : (
      <ProjectLink page={`settings/syncs/${id}`} search={search}>
        {formatCount(count)}
      </ProjectLink>
    );
  const outcomes = Object.entries(FINDING_OUTCOME) as [SyncFinding['outcome'], { name: string }][]; // an object's keys are typed as string
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
