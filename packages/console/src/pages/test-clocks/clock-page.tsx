import type { TestClock } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { missingRecord } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { testClockQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { Notice } from '#ui/notice.tsx';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, TEST_CLOCK_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerDialog } from '../customers/customer-dialog.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { AdvanceDialog, DeleteClock, TestCardDialog } from './clock-dialogs.tsx';

const UP = { page: 'test-clocks', title: 'Test clocks' } as const;
const ADVANCING_MS = 1_000;
const READY_MS = 5_000;

/** A test clock: its time, and the customers who live in it. */
export function ClockPage() {
  const scope = useProject();
  const { testClockId = '' } = useParams({ strict: false });
  const query = useQuery({
    ...testClockQuery(scope, testClockId),
    refetchInterval: ({ state: { data, error } }) => {
      if (missingRecord(error)) return false;
      return data?.status === 'advancing' ? ADVANCING_MS : READY_MS;
    },
  });
  const { data: clock } = query;
  if (!clock) return <LoadingPage query={query} title="Test clock" up={UP} />;
  const { name, now, target, status, deletesAt } = clock;
  return (
    <Page
      title={name}
      lead={
        <>
          <StatusBadge of={TEST_CLOCK_STATUS[status]} /> It is <Time at={now} show="time" />
        </>
      }
      up={UP}
      actions={
        <>
          <DialogButton dialog={<DeleteClock clock={clock} />}>Delete…</DialogButton>
          <DialogButton kind="primary" disabled={status !== 'ready'} dialog={<AdvanceDialog clock={clock} />}>
            Advance…
          </DialogButton>
        </>
      }
    >
      {status === 'advancing' && (
        <Notice role="status">
          It advances to <Time at={target} show="time" />. Once it is ready, all that happened until then is recorded
          here.
        </Notice>
      )}
      {status === 'failed' && (
        <Notice tone="bad">Stripe could not advance it, and it can’t go on: delete it and create another.</Notice>
      )}
      <Customers clock={clock} />
      <Card title="Details">
        <Details
          of={{
            Id: <CopyableId id={clock.id} />,
            'Stripe id': <CopyableId id={clock.processorTestClockId} />,
            Created: <Time at={clock.createdAt} show="time" />,
            'Deleted on': (
              <>
                <Time at={deletesAt} show="time" />, by Stripe, with its customers
              </>
            ),
          }}
        />
      </Card>
    </Page>
  );
}

function Customers({ clock: { id, status, customerIds } }: { readonly clock: TestClock }) {
  return (
    <Card
      title="Customers"
      flush
      actions={
        <DialogButton small icon="plus" disabled={status !== 'ready'} dialog={<CustomerDialog testClockId={id} />}>
          New customer on this clock
        </DialogButton>
      }
    >
      {customerIds.length === 0 ? (
        <EmptyState icon="customers" title="No customers on it">
          Create one, give it a test card, and sell it a subscription on its page.
        </EmptyState>
      ) : (
        <DataTable
          rows={customerIds}
          rowKey={customerId => customerId}
          columns={[
            { title: 'Customer', cell: customerId => <CustomerLink id={customerId} /> },
            {
              title: 'Actions',
              width: 140,
              end: true,
              cell: customerId => (
                <DialogButton small dialog={<TestCardDialog customerId={customerId} />}>
                  Test card…
                </DialogButton>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
