import type { Sync, SyncFinding } from '@billing/client';
import { useProject } from '#api/project.ts';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { Card } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { EmptyState } from '#ui/states.tsx';
import { FINDING_OUTCOME } from '#ui/statuses.tsx';
import { catalogColumns, exportedItems } from './catalog-columns.tsx';
import { CATALOG_OUTCOME } from './catalog-words.ts';
import { exportedFindings, findingColumns } from './finding-columns.tsx';
import { isOpen, totalsOf } from './sync-counts.ts';
import { SYNC_TYPE, TAKEN } from './types.ts';
import { RUNNING_MS } from './use-newest-syncs.ts';

/** How the findings of each kind of sync are shown. */
const SHOWN = {
  account: { outcomes: FINDING_OUTCOME, columns: findingColumns, exported: exportedFindings },
  catalog: { outcomes: CATALOG_OUTCOME, columns: catalogColumns, exported: exportedItems },
} as const;

/** What a sync has found, filtered and by the page. */
export function Findings({ sync }: { readonly sync: Sync }) {
  const { id, kind, status, mode } = sync;
  const { billing, key } = useProject();
  const filters = useFilters();
  const { outcomes, columns, exported } = SHOWN[kind];
  const types = Object.fromEntries(sync.types.map(one => [one, SYNC_TYPE[one]]));
  const type = filters.oneOf('type', SYNC_TYPE);
  const outcome = filters.oneOf('outcome', outcomes);
  const taken = mode === 'apply' ? filters.oneOf('taken', TAKEN) : undefined;
  const wanted = { type, outcome, ...(taken && { applied: taken === 'yes' }) };
  return (
    <>
      <div className="filters">
        <SelectFilter name="type" label="Type" options={types} all="All types" />
        <SelectFilter name="outcome" label="Found" options={outcomes} all="All findings" />
        {mode === 'apply' && <SelectFilter name="taken" label="Taken over" options={TAKEN} all="Taken over or not" />}
        <ExportButton<SyncFinding>
          name={`findings-${id}`}
          columns={exported(mode)}
          list={(page, signal) => billing.syncs.findings(id, { ...wanted, ...page }, { signal })}
        />
      </div>
      <Card flush>
        <PagedTable<SyncFinding>
          label="Findings"
          queryKey={key('syncs', id, 'findings', status, wanted)}
          list={(page, signal) => billing.syncs.findings(id, { ...wanted, ...page }, { signal })}
          columns={columns(mode)}
          rowKey={finding => `${finding.type} ${finding.key ?? finding.processorId}`}
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
      {isOpen(sync)
        ? 'Nothing found so far.'
        : sync.kind === 'catalog'
          ? 'The catalog equals the document.'
          : 'The records equal the account.'}
    </EmptyState>
  );
}
