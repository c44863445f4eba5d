import type { Coupon } from '@billing/client';
import { useProject } from '#api/project.ts';
import { SearchFilter, useFilters } from '#layout/filters.tsx';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { linkColumn } from '#resource/tables.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { ALL_CODE_COLUMNS } from './code-columns.tsx';
import { CouponDialog } from './coupon-dialog.tsx';
import { CouponStatus } from './coupon-name.tsx';
import { describeDuration, describeOff, describeRedeemed } from './coupon-words.ts';

const COLUMNS: readonly Column<Coupon>[] = [
  linkColumn(
    'Coupon',
    ({ id }) => `coupons/${id}`,
    ({ name, processorCouponId }) => name ?? processorCouponId,
  ),
  { title: 'Takes off', isAmount: true, cell: coupon => <span className="num">{describeOff(coupon)}</span> },
  { title: 'For', cell: describeDuration },
  { title: 'Redeemed', width: 110, cell: coupon => <span className="num">{describeRedeemed(coupon)}</span> },
  { title: 'Status', width: 'status', cell: coupon => <CouponStatus coupon={coupon} /> },
  { title: 'Created', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Coupons, and the codes with which customers redeem them. */
export function CouponsPage() {
  const { billing, key } = useProject();
  const code = useFilters().text('code') || undefined;
  const create = useCreate('New coupon', <CouponDialog />);
  return (
    <Page
      title="Coupons"
      lead="Price reductions, and the promotion codes with which customers redeem them. Each is also in Stripe."
      actions={create.button}
    >
      <Card title="Coupons" flush>
        <ListTable
          label="Coupons"
          queryKey={key('coupons')}
          list={(page, signal) => billing.coupons.list(page, { signal })}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="coupons" title="No coupons yet" action={create.button}>
              A coupon takes a percentage or an amount off invoices. Give it promotion codes, and customers can redeem
              it.
            </EmptyState>
          }
        />
      </Card>
      <Card
        title="Promotion codes"
        flush
        actions={
          <div className="filters">
            <SearchFilter name="code" label="Find a code" />
          </div>
        }
      >
        <ListTable
          label="Promotion codes"
          queryKey={key('promotion-codes', { code })}
          list={(page, signal) => billing.promotionCodes.list({ code, ...page }, { signal })}
          columns={ALL_CODE_COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon={code ? 'search' : 'coupons'} title={code ? 'No code matches' : 'No codes yet'}>
              {code
                ? 'A code is found by its whole text, in any case.'
                : 'A code is created on the page of its coupon.'}
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
    </Page>
  );
}
