import type { TestClock } from '@billing/client';
import { useProject } from '#api/project.ts';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { linkColumn } from '#resource/tables.tsx';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, TEST_CLOCK_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import { NewClockDialog } from './clock-dialogs.tsx';

const COLUMNS: readonly Column<TestClock>[] = [
  linkColumn(
    'Test clock',
    ({ id }) => `test-clocks/${id}`,
    ({ name }) => name,
  ),
  { title: 'Its time', width: 'time', cell: ({ now }) => <Time at={now} show="time" /> },
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={TEST_CLOCK_STATUS[status]} /> },
  { title: 'Customers', cell: ({ customerIds }) => <Names of={customerIds} /> },
  { title: 'Deleted on', width: 'date', isSpare: true, cell: ({ deletesAt }) => <Time at={deletesAt} /> },
];

/** Test clocks, in whose time customers are billed. */
export function ClocksPage() {
  const { billing, key } = useProject();
  const create = useCreate('New test clock', <NewClockDialog />);
  return (
    <Page
      title="Test clocks"
      lead="See a month or a year of billing at once: what is billed to a customer on a clock follows its time."
      actions={create.button}
    >
      <Card flush>
        <ListTable
          label="Test clocks"
          queryKey={key('test-clocks', 'list')}
          list={(page, signal) => billing.testClocks.list(page, { signal })}
          refreshMs={5_000}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="clock" title="No test clocks yet" action={create.button}>
              A test clock has up to three customers. Advance it, and they are billed as if that time had passed. Stripe
              deletes it after 30 days.
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
    </Page>
  );
}

const Names = ({ of }: { readonly of: TestClock['customerIds'] }) =>
  of.length === 0 ? (
    <span className="muted">None</span>
  ) : (
    of.map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        <CustomerName id={id} />
      </span>
    ))
  );
