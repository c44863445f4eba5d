import type { Sync, SyncFinding } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { FINDING_OUTCOME } from '#ui/statuses.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { isFiltered } from './apply-plan.ts';
import { CountsTable } from './counts-table.tsx';
import { exportedFindings, findingColumns } from './finding-columns.tsx';
import { RunLead } from './run-lead.tsx';
import { isOpen, totalsOf } from './sync-counts.ts';
import { StopButton } from './stop-button.tsx';
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
  const [applying, setApplying] = useState(false);
  const { data: sync } = query;
  if (!sync) return <LoadingPage query={query} title="Sync" up={UP} />;
  return (
    <Page
      title={syncName(sync)}
      lead={<Lead sync={sync} />}
      up={UP}
      actions={<SyncButtons sync={sync} onApply={() => setApplying(true)} />}
    >
      <Card title="By type" flush={!isOpen(sync)}>
        {isOpen(sync) ? <SyncProgress sync={sync} /> : <CountsTable sync={sync} />}
      </Card>
      <Findings sync={sync} />
      {applying && (
        <ApplyDialog
          report={sync}
          wanted={{ types: sync.types, filter: sync.filter }}
          onClose={() => setApplying(false)}
        />
      )}
    </Page>
  );
}

function SyncButtons({ sync, onApply }: { readonly sync: Sync; readonly onApply: () => void }) {
  if (isOpen(sync)) return <StopButton of="sync" id={sync.id} />;
  const isApplicable = sync.mode === 'report' && sync.status === 'completed' && totalsOf(sync).found > 0;
  return isApplicable && <Button onClick={onApply}>Apply…</Button>;
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
