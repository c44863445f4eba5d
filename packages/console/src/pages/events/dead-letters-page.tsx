import type { DeadLetter } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormProblem } from '#ui/form.tsx';
import { EmptyState, ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { JsonTree } from './json-tree.tsx';

const REFRESH_MS = 5_000;

/** Events that a service failed to handle for good; only owners may see them. */
export function DeadLettersPage() {
  const { team, teamKey } = useProject();
  const [shown, setShown] = useState<DeadLetter>();
  const columns: readonly Column<DeadLetter>[] = [
    {
      title: 'Event',
      cell: letter => (
        <button type="button" className="copyable primary-cell" onClick={() => setShown(letter)}>
          {letter.type}
        </button>
      ),
    },
    { title: 'Service', cell: ({ service }) => service },
    { title: 'Error', wide: true, cell: ({ error }) => error },
    {
      title: 'Status',
      wide: true,
      cell: ({ status }) => (
        <Badge tone={status === 'failed' ? 'bad' : 'accent'}>{status === 'failed' ? 'Failed' : 'Retrying'}</Badge>
      ),
    },
    { title: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} show="relative" /> },
  ];
  return (
    <Page
      title="Dead letters"
      lead="Events inside this installation that a service failed to handle, after several attempts. Once the cause is mended, retry them."
    >
      <Card flush>
        <ListTable
          label="Dead letters"
          queryKey={teamKey('dead-letters')}
          list={(page, signal) => team.deadLetters.list(page, { signal })}
          columns={columns}
          rowKey={({ id }) => id}
          refreshMs={REFRESH_MS}
          empty={
            <EmptyState icon="check" title="Nothing is left behind">
              Every event was handled.
            </EmptyState>
          }
        />
      </Card>
      {shown && <DeadLetterDialog id={shown.id} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

function DeadLetterDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { team, teamKey } = useProject();
  const [dropping, setDropping] = useState(false);
  const { data, error } = useQuery({
    queryKey: teamKey('dead-letter', id),
    queryFn: ({ signal }) => team.deadLetters.get(id, { signal }),
  });
  const retry = useWrite({
    write: () => team.deadLetters.retry(id),
    stale: [teamKey('dead-letters')],
    done: 'The event is handled once more.',
    onDone: onClose,
  });
  if (dropping) return <DropDialog id={id} onClose={onClose} />;
  return (
    <Dialog title={data?.type ?? 'Dead letter'} onClose={onClose}>
      {error && <ErrorState error={error} />}
      {!data && !error && <SkeletonLines lines={4} />}
      {data && (
        <>
          <p>{data.error}</p>
          <p className="muted">
            {data.service}, {data.consumer}, {data.attempts} attempts
          </p>
          <div className="json" dir="ltr">
            <JsonTree value={data.data} open />
          </div>
        </>
      )}
      <FormProblem error={retry.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Go back</Button>
        <Button onClick={() => setDropping(true)}>Drop…</Button>
        <Button kind="primary" busy={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </Button>
      </div>
    </Dialog>
  );
}

function DropDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { team, teamKey } = useProject();
  const drop = useWrite({
    write: () => team.deadLetters.drop(id),
    stale: [teamKey('dead-letters')],
    done: 'The event is dropped for good.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Drop the event" action="Drop for good" write={drop} onClose={onClose}>
      What it should have done in this installation never happens, and it can’t be retried any more.
    </ConfirmDialog>
  );
}
