import type { AuditEntry } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { apiKeysQuery, membersQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { DateRangeFilter, useDateRange } from '#layout/date-range.tsx';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { CustomerName } from '#pages/customers/customer-name.tsx';
import { Badge } from '#ui/badge.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { actionOf, sentenceOf } from './action-names.ts';

/** Who changed what in the team; only owners may see it. */
export function AuditLogPage() {
  const { team, teamKey } = useProject();
  const { text } = useFilters();
  const wanted = {
    action: actionOf(text('action')) || undefined,
    actor: text('actor') || undefined,
    ...useDateRange(),
  };
  const [shown, setShown] = useState<AuditEntry>();
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    team.auditLog.list({ ...wanted, ...page }, { signal });
  const columns: readonly Column<AuditEntry>[] = [
    {
      title: 'Action',
      cell: entry => (
        <button type="button" className="copyable primary-cell" onClick={() => setShown(entry)}>
          {sentenceOf(entry.action)}
        </button>
      ),
      csv: entry => entry.action,
    },
    {
      title: 'Who',
      cell: entry => <Actor of={entry} />,
      csv: ({ actor }) => actor.name ?? actor.type,
    },
    {
      title: 'What',
      cell: ({ target }) => target && <code>{target.id}</code>,
      csv: ({ target }) => target?.id,
    },
    {
      title: 'Outcome',
      cell: ({ outcome, count }) =>
        outcome === 'refused' ? (
          <Badge tone="bad">Refused{count > 1 && ` ${count} times`}</Badge>
        ) : (
          <Badge tone="good">Done</Badge>
        ),
      csv: ({ outcome }) => outcome,
    },
    { title: 'When', cell: ({ at }) => <Time at={at} show="relative" />, csv: ({ at }) => at },
  ];
  const exported = [...columns, exportedColumn<AuditEntry>('Actor id', ({ actor }) => actor.id)];
  return (
    <ListPage
      title="Audit log"
      lead="Every write and sign-in, by whom, and from where. Entries can't be changed."
      nouns={['entry', 'entries']}
      exported={{ name: 'audit-log', columns: exported }}
      filters={
        <>
          <SearchFilter name="action" label="Action, such as Create API key" />
          <ActorFilter />
          <DateRangeFilter />
        </>
      }
      queryKey={teamKey('audit-log', wanted)}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon="log" title={Object.values(wanted).some(Boolean) ? 'No entry matches' : 'No entries yet'} />
      }
    >
      {shown && <EntryDialog entry={shown} onClose={() => setShown(undefined)} />}
    </ListPage>
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

function Actor({ of: { actor, projectId } }: { readonly of: Pick<AuditEntry, 'actor' | 'projectId'> }) {
  const { type, id, name } = actor;
  if (type === 'user' && name !== null) return <bdi>{name}</bdi>;
  if (type === 'customer' && id !== null && projectId !== null)
    return (
      <>
        Customer <CustomerName id={id} projectId={projectId} />
      </>
    );
  return (
    <>
      {ACTORS[type]} {name === null ? id && <code>{id.slice(0, 12)}</code> : <bdi>{name}</bdi>}
    </>
  );
}

const ACTORS: Readonly<Record<AuditEntry['actor']['type'], string>> = {
  user: 'User',
  key: 'API key',
  customer: 'Customer',
  operator: 'Operator',
  system: 'The system',
};

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { target, address, requestId, changes, at } = entry;
  return (
    <Dialog title={sentenceOf(entry.action)} onClose={onClose}>
      <Details
        of={{
          When: <Time at={at} show="time" />,
          Who: (
            <>
              <Actor of={entry} />
              {address && `, from ${address}`}
            </>
          ),
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
    </Dialog>
  );
}

const Value = ({ of }: { readonly of: AuditEntry['changes'][number]['from'] }) => (
  <div className="truncate" dir="auto">
    {of === null ? '–' : Array.isArray(of) ? of.join(', ') : String(of)}
  </div>
);
