import type { DeadLetter } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { openColumn } from '#resource/tables.tsx';
import { useClose, useDialog } from '#resource/dialog-button.tsx';
import { ConfirmWrite, useDialogWrite } from '#resource/write-dialogs.tsx';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormProblem } from '#ui/form.tsx';
import { EmptyState, ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { happeningOf, outdatedBy } from './dead-letter-text.ts';
import { JsonTree } from './json-tree.tsx';

const REFRESH_MS = 5_000;

/** Events that a service failed to handle for good; only owners may see them. */
export function DeadLettersPage() {
  const { team, teamKey } = useProject();
  const details = useDialog(({ id }: DeadLetter) => <DeadLetterDialog id={id} />);
  const columns: readonly Column<DeadLetter>[] = [
    openColumn('Event', happeningOf, details.open),
    { title: 'Out of date', cell: letter => outdatedBy(letter) },
    { title: 'Reason', cell: ({ error }) => error },
    {
      title: 'Status',
      width: 'status',
      cell: ({ status }) => (
        <Badge tone={status === 'failed' ? 'bad' : 'accent'}>{status === 'failed' ? 'Failed' : 'Retrying'}</Badge>
      ),
    },
    { title: 'Failed', width: 'ago', cell: ({ failedAt }) => <Time at={failedAt} show="relative" /> },
  ];
  return (
    <Page
      title="Dead letters"
      lead="What happened but could not be taken in, even after several attempts. Until it is, a part of this team’s records is out of date. Once the cause is mended, retry."
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
              Everything that happened was taken in.
            </EmptyState>
          }
        />
      </Card>
      {details.dialog}
    </Page>
  );
}

function DeadLetterDialog({ id }: { readonly id: string }) {
  const onClose = useClose();
  const { team, teamKey } = useProject();
  const [dropping, setDropping] = useState(false);
  const { data, error } = useQuery({
    queryKey: teamKey('dead-letter', id),
    queryFn: ({ signal }) => team.deadLetters.get(id, { signal }),
  });
  const retry = useDialogWrite<void, unknown>({
    write: () => team.deadLetters.retry(id),
    stale: [teamKey('dead-letters')],
    done: 'The event is handled once more.',
  });
  if (dropping) return <DropDialog id={id} />;
  return (
    <Dialog title={data ? happeningOf(data) : 'Dead letter'} onClose={onClose}>
      {error && <ErrorState error={error} />}
      {!data && !error && <SkeletonLines lines={4} />}
      {data && (
        <>
          <p>
            This has happened, but could not be taken in, after {data.attempts}{' '}
            {data.attempts === 1 ? 'attempt' : 'attempts'}. Until it is, these may be out of date:{' '}
            {outdatedBy(data).toLowerCase()}. Retry it once the cause is mended.
          </p>
          <p dir="auto">{data.error}</p>
          <p className="muted small">
            <code>{data.type}</code> in {data.service}, consumer <code>{data.consumer}</code>
          </p>
          <JsonTree value={data.data} />
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

function DropDialog({ id }: { readonly id: string }) {
  const { team, teamKey } = useProject();
  return (
    <ConfirmWrite
      title="Drop the event"
      action="Drop for good"
      write={() => team.deadLetters.drop(id)}
      stale={[teamKey('dead-letters')]}
      done="The event is dropped for good."
    >
      What it should have done in this installation never happens, and it can’t be retried any more.
    </ConfirmWrite>
  );
}
