import type { PriceMigration, PriceMigrationFinding } from '@billing/client';
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
import { RunLead } from '../syncs/run-lead.tsx';
import { StopButton } from '../syncs/stop-button.tsx';
import { isOpen } from '../syncs/sync-counts.ts';
import { RUNNING_MS } from '../syncs/use-newest-syncs.ts';
import { ApplyDialog } from './apply-dialog.tsx';
import { exportedFindings, FINDING_COLUMNS } from './finding-columns.tsx';
import { MigrationDetails } from './migration-details.tsx';
import { MIGRATION_OUTCOME, migrationName } from './migration-words.ts';
import { useMigration } from './use-migrations.ts';

const UP = { page: 'price-migrations', title: 'Price migrations' } as const;

/** One migration: how far it is, and what it does to each subscription. */
export function MigrationPage() {
  const { priceMigrationId = '' } = useParams({ strict: false });
  const query = useMigration(priceMigrationId);
  const [applying, setApplying] = useState(false);
  const { data: migration } = query;
  if (!migration) return <LoadingPage query={query} title="Price migration" up={UP} />;
  const { mode, status, counts } = migration;
  const isApplicable = mode === 'report' && status === 'completed' && counts.to_change > 0;
  return (
    <Page
      title={migrationName(migration)}
      lead={<RunLead run={migration} />}
      up={UP}
      actions={
        isOpen(migration) ? (
          <StopButton of="migration" id={migration.id} />
        ) : (
          isApplicable && (
            <Button kind="primary" onClick={() => setApplying(true)}>
              Apply…
            </Button>
          )
        )
      }
    >
      <MigrationDetails migration={migration} />
      <Findings migration={migration} />
      {applying && <ApplyDialog report={migration} onClose={() => setApplying(false)} />}
    </Page>
  );
}

function Findings({ migration }: { readonly migration: PriceMigration }) {
  const { id, status } = migration;
  const scope = useProject();
  const outcome = useFilters().oneOf('outcome', MIGRATION_OUTCOME);
  const list = (page: object, signal: AbortSignal) =>
    scope.billing.priceMigrations.findings(id, { outcome, ...page }, { signal });
  return (
    <>
      <div className="filters">
        <SelectFilter name="outcome" label="Outcome" options={MIGRATION_OUTCOME} all="All outcomes" />
        <ExportButton<PriceMigrationFinding>
          name={`price-migration-${id}`}
          columns={exportedFindings(scope)}
          list={list}
        />
      </div>
      <Card flush>
        <PagedTable<PriceMigrationFinding>
          label="Subscriptions"
          queryKey={scope.key('price-migrations', id, 'findings', status, outcome)}
          list={list}
          columns={FINDING_COLUMNS}
          rowKey={({ subscriptionId }) => subscriptionId}
          empty={
            <EmptyState icon="search" title="Nothing here">
              {emptyText(migration, outcome !== undefined)}
            </EmptyState>
          }
          {...(isOpen(migration) && { refreshMs: RUNNING_MS * 3 })}
        />
      </Card>
    </>
  );
}

function emptyText(migration: PriceMigration, isFiltered: boolean): string {
  if (isFiltered) return 'No subscription has this outcome.';
  if (isOpen(migration)) return 'No subscription was looked at so far.';
  return 'No subscription has the price that is replaced, or none matches the filter.';
}
