import type { Subscription } from '@billing/client';
import { PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { FrameDialogButton } from '#resource/dialog-button.tsx';
import { control } from '#resource/fields.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { PromotionCodeField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';
import { CodeIdLink, CouponLink } from '../coupons/coupon-name.tsx';
import { ProductNames } from '../products/product-name.tsx';
import { describeOff } from '../coupons/coupon-words.ts';
import { hasEnded } from './next-step.ts';

type Discount = Subscription['discounts'][number];

/** What is taken off the invoices of a subscription, to be set and removed. */
export function DiscountsCard({ subscription }: { readonly subscription: Subscription }) {
  const { discounts } = subscription;
  const own = ownDiscounts(subscription);
  const canChange = !hasEnded(subscription);
  if (!canChange && discounts.length === 0) return null;
  return (
    <Card
      title="Discounts"
      actions={
        canChange && (
          <div className="row">
            {own.length > 0 && (
              <FrameDialogButton small dialog={<RemoveDiscountsDialog subscription={subscription} />}>
                Remove…
              </FrameDialogButton>
            )}
            <FrameDialogButton small dialog={<SetDiscountDialog subscription={subscription} />}>
              Set a code…
            </FrameDialogButton>
          </div>
        )
      }
    >
      {discounts.length === 0 ? (
        <p className="muted">Nothing is taken off its invoices.</p>
      ) : (
        <ul className="stack-s">
          {discounts.map((discount, index) => (
            // Discounts have no ids, and two may be alike.
            // eslint-disable-next-line react/no-array-index-key
            <li key={index}>
              <DiscountText discount={discount} items={subscription.items} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** The discounts of the subscription itself: those of its items and its customer are changed in Stripe. */
export const ownDiscounts = ({ discounts }: Subscription): readonly Discount[] =>
  discounts.filter(({ level }) => level === 'subscription');

interface DiscountTextProps {
  readonly discount: Discount;
  readonly items: Subscription['items'];
}

/** A discount: `20% off until Jun 2, 2026, by SPRING20`. */
function DiscountText({ discount, items }: DiscountTextProps) {
  const { level, processorPriceId, couponId, promotionCodeId, endsAt } = discount;
  const item = items.length > 1 && items.find(it => it.processorPriceId === processorPriceId);
  return (
    <>
      {describeOff(discount)}
      {item && (
        <>
          {' '}
          <ProductNames items={[item]} />
        </>
      )}
      {endsAt && (
        <>
          {' '}
          until <Time at={endsAt} />
        </>
      )}
      {couponId && (
        <>
          , <CouponLink id={couponId} />
        </>
      )}
      {promotionCodeId && (
        <>
          {' '}
          by <CodeIdLink id={promotionCodeId} />
        </>
      )}
      {level === 'customer' && ', of the customer'}
    </>
  );
}

interface DialogProps {
  readonly subscription: Subscription;
}

function replacedBy(subscription: Subscription): string {
  if (ownDiscounts(subscription).length > 0) return ' It replaces the discounts that there are.';
  return subscription.discounts.some(({ level }) => level === 'customer')
    ? ' It counts in place of the discount of the customer.'
    : '';
}

/** Sets the discount of a subscription by a code. */
export function SetDiscountDialog({ subscription }: DialogProps) {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="Set a promotion code"
      lead={`It counts from the next invoice on; nothing is refunded.${replacedBy(subscription)}`}
      action="Set the code"
      write={(fields: FormData) =>
        billing.subscriptions.setDiscount(subscription.id, { promotionCode: textOf(fields, 'promotionCode') })
      }
      stale={[key('subscriptions'), key('coupons'), key('promotion-codes')]}
      done="The discount counts from the next invoice on."
      refusals={PROMOTION_CODE_REFUSALS}
      fields={[control(PromotionCodeField, { name: 'promotionCode', required: true, hint: 'In any case.' })]}
    />
  );
}

/** Removes what `SetDiscountDialog` has set. */
export function RemoveDiscountsDialog({ subscription }: DialogProps) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Remove the discounts"
      action="Remove"
      write={() => billing.subscriptions.setDiscount(subscription.id, { promotionCode: null })}
      stale={[key('subscriptions')]}
      done="The discounts are removed."
    >
      From the next invoice on the customer pays without what was set for the subscription. It is removed here and in
      Stripe.
    </ConfirmWrite>
  );
}
