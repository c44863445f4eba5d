import type { Sync } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { isFiltered } from './apply-plan.ts';
import { CountsTable } from './counts-table.tsx';
import { RunLead, StopButton } from './run.tsx';
import { isOpen, totalsOf } from './sync-counts.ts';
import { Findings } from './sync-findings.tsx';
import { SyncProgress } from './sync-progress.tsx';
import { isAccountType, syncName } from './types.ts';
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
  if (sync.kind === 'catalog')
    return (
      <ProjectLink page="products/compare" className="button">
        Compare again
      </ProjectLink>
    );
  const isApplicable = sync.mode === 'report' && sync.status === 'completed' && totalsOf(sync).found > 0;
  const dialog = (
    <ApplyDialog report={sync} wanted={{ types: sync.types.filter(isAccountType), filter: sync.filter }} />
  );
  return isApplicable && <DialogButton dialog={dialog}>Apply…</DialogButton>;
}

function Lead({ sync }: { readonly sync: Sync }) {
  const { markAtProcessor, filter, catalog } = sync;
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
      {catalog?.prune && ' · archives what the document does not have'}
      {catalog?.adopt && ' · gives keys to what is the same and has none'}
      {catalog?.reportId && (
        <>
          {' · applies '}
          <ProjectLink page={`settings/syncs/${catalog.reportId}`}>this report</ProjectLink>
        </>
      )}
      {markAtProcessor && ' · writes the ids of the records into the metadata at Stripe'}
    </>
  );
}
