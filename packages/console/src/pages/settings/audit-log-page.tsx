import type { AuditEntry } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { DataTable } from '#layout/data-table.tsx';
import { SearchFilter, useFilters } from '#layout/filters.tsx';
import { ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
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
  const action = actionOf(useFilters().text('action')) || undefined;
  const [shown, setShown] = useState<AuditEntry>();
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    team.auditLog.list({ action, ...page }, { signal });
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
      cell: ({ actor }) => <Actor actor={actor} />,
      csv: ({ actor }) => `${actor.type} ${actor.id ?? ''}`.trim(),
    },
    {
      title: 'What',
      wide: true,
      cell: ({ target }) => target && <code>{target.id}</code>,
      csv: ({ target }) => target?.id,
    },
    {
      title: 'Outcome',
      wide: true,
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
  return (
    <ListPage
      title="Audit log"
      lead="Every write and sign-in, by whom, and from where. Entries can't be changed."
      exported={{ name: 'audit-log' }}
      filters={<SearchFilter name="action" label="Action, such as Create API key" />}
      queryKey={teamKey('audit-log', { action })}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState icon="log" title={action ? 'No entry matches' : 'No entries yet'} />}
    >
      {shown && <EntryDialog entry={shown} onClose={() => setShown(undefined)} />}
    </ListPage>
  );
}

function Actor({ actor }: { readonly actor: AuditEntry['actor'] }) {
  const { team, teamKey } = useProject();
  const { data: members } = useQuery({
    queryKey: teamKey('members'),
    queryFn: async ({ signal }) => (await team.members.list({}, { signal }).page()).items,
    staleTime: 60_000,
  });
  const member = members?.find(({ userId }) => userId === actor.id);
  if (member) return <bdi>{member.name}</bdi>;
  return (
    <>
      {actor.type === 'key' ? 'API key' : actor.type}{' '}
      {actor.id && <code className="wide">{actor.id.slice(0, 12)}</code>}
    </>
  );
}

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { actor, target, address, requestId, changes, at } = entry;
  return (
    <Dialog title={sentenceOf(entry.action)} onClose={onClose}>
      <Details
        of={{
          When: <Time at={at} show="time" />,
          Who: (
            <>
              <Actor actor={actor} />
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
