import type { AuditEntry } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { ExportButton } from '#layout/export-button.tsx';
import { SearchFilter, useFilters } from '#layout/filters.tsx';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { Badge } from '#ui/badge.tsx';
import { CopyableId } from '#ui/copy.tsx';
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
      cell: ({ outcome }) =>
        outcome === 'refused' ? <Badge tone="bad">Refused</Badge> : <Badge tone="good">Done</Badge>,
      csv: ({ outcome }) => outcome,
    },
    { title: 'When', cell: ({ at }) => <Time at={at} show="relative" />, csv: ({ at }) => at },
  ];
  return (
    <Page
      title="Audit log"
      lead="Every write, by whom, and from where. Entries can't be changed."
      actions={<ExportButton name="audit-log" columns={columns} list={list} />}
    >
      <div className="filters">
        <SearchFilter name="action" label="Action, such as Create API key" />
      </div>
      <Card flush>
        <ListTable
          label="Audit log"
          queryKey={teamKey('audit-log', { action })}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<EmptyState icon="log" title={action ? 'No entry matches' : 'No entries yet'} />}
        />
      </Card>
      {shown && <EntryDialog entry={shown} onClose={() => setShown(undefined)} />}
    </Page>
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
      <dl className="details">
        <dt>When</dt>
        <dd>
          <Time at={at} show="time" />
        </dd>
        <dt>Who</dt>
        <dd>
          <Actor actor={actor} />
          {address && `, from ${address}`}
        </dd>
        {target && (
          <>
            <dt>What</dt>
            <dd>
              {target.type.replaceAll('_', ' ')} <CopyableId id={target.id} />
            </dd>
          </>
        )}
        <dt>Request id</dt>
        <dd>
          <CopyableId id={requestId} />
        </dd>
      </dl>
      {changes.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, from, to }) => (
              <tr key={field}>
                <td>{field}</td>
                <td className="truncate" dir="auto">
                  {textOfValue(from)}
                </td>
                <td className="truncate" dir="auto">
                  {textOfValue(to)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

const textOfValue = (value: AuditEntry['changes'][number]['from']): string =>
  value === null ? '–' : Array.isArray(value) ? value.join(', ') : String(value);
