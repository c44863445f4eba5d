import type { AuditEntry, PageOptions } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { apiKeysQuery, membersQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { DateRangeFilter, useDateRange } from '#layout/date-range.tsx';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { Badge } from '#ui/badge.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Happening } from '../events/sentence-text.tsx';
import { ACTION_NAMES } from './audit-actions.ts';
import { auditSentence } from './audit-sentence.ts';

const LEAD = 'Every write and sign-in, by whom, and from where. Entries can’t be changed.';

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    title: 'What happened',
    least: 440,
    cell: entry => (
      <Happening of={auditSentence(entry)} projectId={entry.projectId ?? undefined}>
        <EntryDetails entry={entry} />
      </Happening>
    ),
  },
  {
    title: 'Outcome',
    width: 160,
    cell: ({ outcome, count }) =>
      outcome === 'refused' ? (
        <Badge tone="bad">Refused{count > 1 && ` ${count} times`}</Badge>
      ) : (
        <Badge tone="good">Done</Badge>
      ),
  },
  { title: 'When', width: 'ago', cell: ({ at }) => <Time at={at} show="relative" /> },
];

const EXPORTED: readonly Column<AuditEntry>[] = [
  exportedColumn('Action', ({ action }) => action),
  exportedColumn('Who', ({ actor }) => actor.name ?? actor.type),
  exportedColumn('What', ({ target }) => target?.id),
  exportedColumn('Outcome', ({ outcome }) => outcome),
  exportedColumn('When', ({ at }) => at),
  exportedColumn('Actor id', ({ actor }) => actor.id),
];

/** Who changed what in the team; only owners may see it. */
export function AuditLogPage() {
  const { team, teamKey } = useProject();
  const { oneOf, text } = useFilters();
  const wanted = {
    action: oneOf('action', ACTION_NAMES),
    actor: text('actor') || undefined,
    ...useDateRange(),
  };
  const list = (page: PageOptions, signal: AbortSignal) => team.auditLog.list({ ...wanted, ...page }, { signal });
  return (
    <Page title="Audit log" lead={LEAD} actions={<ExportButton name="audit-log" columns={EXPORTED} list={list} />}>
      <div className="filters">
        <SelectFilter name="action" label="Action" options={ACTION_NAMES} all="All actions" />
        <ActorFilter />
        <DateRangeFilter />
      </div>
      <Card flush>
        <PagedTable
          label="Audit log"
          queryKey={teamKey('audit-log', wanted)}
          list={list}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              icon="log"
              title={Object.values(wanted).some(Boolean) ? 'No entry matches' : 'No entries yet'}
            />
          }
        />
      </Card>
    </Page>
  );
}

/** The actors of a log that are known by name: members of the team and keys of the open project. */
function ActorFilter() {
  const scope = useProject();
  const { data: members = [] } = useQuery(membersQuery(scope));
  const { data: keys = [] } = useQuery(apiKeysQuery(scope));
  const chosen = useFilters().text('actor');
  const options = Object.fromEntries([
    ...(chosen ? [[chosen, { name: chosen }]] : []),
    ...members.map(({ userId, name, email }) => [userId, { name: `${name}, ${email}` }]),
    ...keys.map(({ id, name }) => [id, { name: `API key ${name}` }]),
  ]) as Record<string, { readonly name: string }>; // a computed name is typed as any
  return <SelectFilter name="actor" label="Who" options={options} all="Everyone" />;
}

function EntryDetails({ entry }: { readonly entry: AuditEntry }) {
  const { action, actor, target, address, requestId, changes, at } = entry;
  return (
    <>
      <Details
        narrow
        of={{
          Action: <code>{action}</code>,
          When: <Time at={at} show="seconds" />,
          Who: (
            <>
              {actor.type === 'key' ? 'API key' : actor.type} {actor.id && <CopyableId id={actor.id} />}
            </>
          ),
          From: address,
          What: target && (
            <>
              {target.type.replaceAll('_', ' ')} <CopyableId id={target.id} />
            </>
          ),
          'Request id': <CopyableId id={requestId} />,
        }}
      />
      {changes.length > 0 && (
        <DataTable
          rows={changes}
          rowKey={({ field }) => field}
          columns={[
            { title: 'Field', cell: ({ field }) => field },
            { title: 'From', cell: ({ from }) => <Value of={from} /> },
            { title: 'To', cell: ({ to }) => <Value of={to} /> },
          ]}
        />
      )}
    </>
  );
}

const Value = ({ of }: { readonly of: AuditEntry['changes'][number]['from'] }) => (
  <div className="truncate" dir="auto">
    {of === null ? '–' : Array.isArray(of) ? of.join(', ') : String(of)}
  </div>
);
