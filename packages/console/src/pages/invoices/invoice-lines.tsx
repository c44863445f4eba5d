import type { InvoiceLine, WholeInvoice } from '@billing/client';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Card } from '#layout/page.tsx';
import { moneyColumn } from '#resource/tables.tsx';
import { Time } from '#ui/time.tsx';

type Line = InvoiceLine & { readonly key: number; readonly currency: string };

const COLUMNS: readonly Column<Line>[] = [
  { title: 'Description', cell: ({ description }) => <bdi>{description ?? 'Without description'}</bdi> },
  {
    title: 'Period',
    isSpare: true,
    cell: ({ periodStart, periodEnd }) => (
      <>
        <Time at={periodStart} /> – <Time at={periodEnd} />
      </>
    ),
  },
  { title: 'Quantity', width: 'count', end: true, cell: ({ quantity }) => quantity },
  { ...moneyColumn<Line>('Discount', ({ discount }) => 0 - discount), isSpare: true, isAmount: false },
  moneyColumn<Line>('Amount', ({ amount }) => amount),
];

/** What an invoice bills. */
export const Lines = ({ invoice: { lines, currency } }: { readonly invoice: WholeInvoice }) => (
  <Card title="Lines" flush>
    <DataTable
      rows={lines.map((line, key) => ({ ...line, key, currency }))}
      rowKey={({ key }) => String(key)}
      columns={COLUMNS}
    />
  </Card>
);
