import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { couponQuery, productsQuery } from '#api/queries.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useOpenPage } from '#layout/project-link.tsx';
import { Records } from '#layout/records.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { CODE_COLUMNS } from './code-columns.tsx';
import { CouponStatus } from './coupon-name.tsx';
import { describeDuration, describeOff, describeRedeemed } from './coupon-words.ts';
import { PromotionCodeDialog } from './promotion-code-dialog.tsx';

const UP = { page: 'coupons', title: 'Coupons' } as const;

/** A coupon, and the codes that redeem it. */
export function CouponPage() {
  const scope = useProject();
  const { billing, key } = scope;
  const { couponId = '' } = useParams({ strict: false });
  const query = useQuery(couponQuery(scope, couponId));
  const [dialog, setDialog] = useState<'code' | 'delete'>();
  const close = () => setDialog(undefined);
  const openPage = useOpenPage();
  const remove = useWrite({
    write: () => billing.coupons.delete(couponId),
    stale: [],
    done: 'The coupon is deleted, here and in Stripe.',
    onDone: () => openPage('coupons'),
  });

  const { data: coupon } = query;
  if (!coupon) return <LoadingPage query={query} title="Coupon" up={UP} />;
  const title = coupon.name ?? coupon.processorCouponId;
  return (
    <Page
      title={title}
      lead={describeOff(coupon)}
      up={UP}
      actions={
        <>
          <Button onClick={() => setDialog('delete')}>Delete</Button>
          {coupon.isValid && (
            <Button kind="primary" icon="plus" onClick={() => setDialog('code')}>
              New code
            </Button>
          )}
        </>
      }
    >
      <Records
        title="Promotion codes"
        queryKey={key('promotion-codes', { couponId })}
        list={(page, signal) => billing.promotionCodes.list({ couponId, ...page }, { signal })}
        columns={CODE_COLUMNS}
        empty={
          <EmptyState icon="coupons" title="No codes yet">
            Customers redeem the coupon by a code that they enter, or that your product applies.
          </EmptyState>
        }
      />
      <Card title="Details">
        <Details
          of={{
            Status: <CouponStatus coupon={coupon} />,
            'Takes off': describeOff(coupon),
            For: describeDuration(coupon),
            Products: <Products productIds={coupon.productIds} />,
            Redeemed: describeRedeemed(coupon),
            'Can be redeemed until': coupon.redeemBy && <Time at={coupon.redeemBy} show="time" />,
            Id: <CopyableId id={coupon.id} />,
            'Stripe id': <CopyableId id={coupon.processorCouponId} />,
            Created: <Time at={coupon.createdAt} show="time" />,
          }}
        />
      </Card>
      {dialog === 'code' && <PromotionCodeDialog couponId={couponId} onClose={close} />}
      {dialog === 'delete' && (
        <ConfirmDialog title="Delete the coupon" action="Delete" write={remove} onClose={close}>
          Nobody can redeem <bdi>{title}</bdi> or its promotion codes any more, here and in Stripe. Subscriptions that
          have its discount keep it. This can’t be undone.
        </ConfirmDialog>
      )}
    </Page>
  );
}

function Products({ productIds }: { readonly productIds: readonly string[] | null }) {
  const { data: products } = useQuery(productsQuery(useProject()));
  if (productIds === null) return 'All';
  if (productIds.length === 0) return 'None of this project';
  const names = productIds.map(id => products?.find(product => product.id === id)?.name ?? id);
  return <bdi>Only {names.join(', ')}</bdi>;
}
