import type { PromotionCodeCreate } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject, useProjectDetails } from '#api/project.ts';
import { couponQuery, productsQuery } from '#api/queries.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { Records } from '#layout/records.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { control } from '#resource/fields.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { textOf } from '#ui/form.tsx';
import { MoneyFields, moneyOf } from '#ui/money-fields.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';
import { KEY_REFUSALS, keyField } from '../products/key-field.ts';
import { CODE_COLUMNS } from './code-columns.tsx';
import { CouponStatus } from './coupon-name.tsx';
import { describeAmounts, describeDuration, describeOff, describeRedeemed } from './coupon-words.ts';
import { countOf, limitFields, timeOf } from './limit-fields.ts';

const UP = { page: 'coupons', title: 'Coupons' } as const;

/** A coupon, and the codes that redeem it. */
export function CouponPage() {
  const scope = useProject();
  const { billing, key } = scope;
  const { couponId = '' } = useParams({ strict: false });
  const query = useQuery(couponQuery(scope, couponId));
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
          {coupon.key === null && <DialogButton dialog={<KeyDialog couponId={couponId} />}>Set a key</DialogButton>}
          <DialogButton dialog={<DeleteDialog couponId={couponId} name={title} />}>Delete</DialogButton>
          {coupon.isValid && (
            <DialogButton kind="primary" icon="plus" dialog={<PromotionCodeDialog couponId={couponId} />}>
              New code
            </DialogButton>
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
            'In other currencies': describeAmounts(coupon.currencyOptions),
            For: describeDuration(coupon),
            Products: <Products productIds={coupon.productIds} />,
            Redeemed: describeRedeemed(coupon),
            'Can be redeemed until': coupon.redeemBy && <Time at={coupon.redeemBy} show="time" />,
            Key: coupon.key && <CopyableId id={coupon.key} />,
            Id: <CopyableId id={coupon.id} />,
            'Stripe id': <CopyableId id={coupon.processorCouponId} />,
            Created: <Time at={coupon.createdAt} show="time" />,
          }}
        />
      </Card>
    </Page>
  );
}

/** Gives a coupon its key, which stays. */
function KeyDialog({ couponId }: { readonly couponId: string }) {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="Set the key of the coupon"
      action="Set the key"
      write={async fields => billing.coupons.update(couponId, { key: textOf(fields, 'key') })}
      stale={[key('coupons')]}
      done="The coupon has its key, here and in Stripe."
      refusals={KEY_REFUSALS}
      fields={[keyField(null)]}
    />
  );
}

function DeleteDialog({ couponId, name }: { readonly couponId: string; readonly name: string }) {
  const { billing } = useProject();
  return (
    <ConfirmWrite
      title="Delete the coupon"
      action="Delete"
      write={() => billing.coupons.delete(couponId)}
      stale={[]}
      done="The coupon is deleted, here and in Stripe."
      opens={() => 'coupons'}
    >
      Nobody can redeem <bdi>{name}</bdi> or its promotion codes any more, here and in Stripe. Subscriptions that have
      its discount keep it. This can’t be undone.
    </ConfirmWrite>
  );
}

function Products({ productIds }: { readonly productIds: readonly string[] | null }) {
  const { data: products } = useQuery(productsQuery(useProject()));
  if (productIds === null) return 'All';
  if (productIds.length === 0) return 'None of this project';
  const names = productIds.map(id => products?.find(product => product.id === id)?.name ?? id);
  return <bdi>Only {names.join(', ')}</bdi>;
}

/** Creates a promotion code for a coupon. */
function PromotionCodeDialog({ couponId }: { readonly couponId: string }) {
  const { billing, key } = useProject();
  const { baseCurrency } = useProjectDetails();
  return (
    <WriteDialog
      title="New promotion code"
      action="Create the code"
      write={async fields => billing.promotionCodes.create(readCode(fields, couponId))}
      stale={[key('promotion-codes')]}
      done={({ code }) => `Customers can redeem ${code}.`}
      refusals={{ promotion_code_taken: 'code' }}
      fields={[
        {
          name: 'code',
          label: 'Code',
          maxLength: 500,
          pattern: '[A-Za-z0-9\\-]+',
          autoCapitalize: 'characters',
          autoComplete: 'off',
          spellCheck: false,
          title: 'Letters of a-z, digits and hyphens',
          placeholder: 'SPRING20',
          hint: 'Customers enter it in any case. Stripe chooses one unless given.',
        },
        control(CustomerSelect, { name: 'customerId', label: 'Only for', none: 'Everybody' }),
        { kind: 'check', name: 'firstTimeOnly', label: 'Only for customers who have paid nothing before' },
        limitFields('expiresAt'),
        {
          kind: 'other',
          names: ['minimumAmount', 'currency'],
          show: ({ minimumAmount: amount, currency }) => (
            <MoneyFields
              label="From an amount of"
              currency={baseCurrency}
              required={false}
              problems={{ amount, currency }}
            />
          ),
        },
      ]}
    />
  );
}

function readCode(fields: FormData, couponId: string): PromotionCodeCreate {
  const minimum = textOf(fields, 'amount') === '' ? undefined : moneyOf(fields);
  return {
    couponId,
    code: textOf(fields, 'code') || undefined,
    customerId: textOf(fields, 'customerId') || undefined,
    maxRedemptions: countOf(fields, 'maxRedemptions'),
    expiresAt: timeOf(fields, 'expiresAt'),
    firstTimeOnly: fields.has('firstTimeOnly'),
    ...(minimum && { minimumAmount: minimum.amount, currency: minimum.currency }),
  };
}
