import type { Subscription } from '@billing/client';
import { useState } from 'react';
import { problemsOf, PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { PromotionCodeField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';
import { CodeIdLink, CouponLink } from '../coupons/coupon-name.tsx';
import { describeOff } from '../coupons/coupon-words.ts';
import { hasEnded } from './next-step.ts';

type Discount = Subscription['discounts'][number];

/** What is taken off the invoices of a subscription, to be set and removed. */
export function DiscountsCard({ subscription }: { readonly subscription: Subscription }) {
  const [dialog, setDialog] = useState<'set' | 'remove'>();
  const { discounts } = subscription;
  const close = () => setDialog(undefined);
  const canChange = !hasEnded(subscription);
  if (!canChange && discounts.length === 0) return null;
  return (
    <Card
      title="Discounts"
      actions={
        canChange && (
          <div className="row">
            {discounts.length > 0 && (
              <Button small onClick={() => setDialog('remove')}>
                Remove…
              </Button>
            )}
            <Button small onClick={() => setDialog('set')}>
              Set a code…
            </Button>
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
              <DiscountText discount={discount} />
            </li>
          ))}
        </ul>
      )}
      {dialog === 'set' && <SetDialog subscription={subscription} onClose={close} />}
      {dialog === 'remove' && <RemoveDialog subscription={subscription} onClose={close} />}
    </Card>
  );
}

/** A discount: `20% off until Jun 2, 2026, by SPRING20`. */
function DiscountText({ discount }: { readonly discount: Discount }) {
  const { couponId, promotionCodeId, endsAt } = discount;
  return (
    <>
      {describeOff(discount)}
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
    </>
  );
}

interface DialogProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}

function SetDialog({ subscription, onClose }: DialogProps) {
  const { billing, key } = useProject();
  const set = useWrite({
    write: (fields: FormData) =>
      billing.subscriptions.setDiscount(subscription.id, { promotionCode: textOf(fields, 'promotionCode') }),
    stale: [key('subscriptions'), key('coupons'), key('promotion-codes')],
    done: 'The discount counts from the next invoice on.',
    onDone: onClose,
  });
  const problems = problemsOf(set.error, ['promotionCode'], PROMOTION_CODE_REFUSALS);
  return (
    <FormDialog
      title="Set a promotion code"
      lead={
        <p className="muted">
          It counts from the next invoice on; nothing is refunded.
          {subscription.discounts.length > 0 && ' It replaces the discounts that there are.'}
        </p>
      }
      action="Set the code"
      write={set}
      problems={problems}
      onClose={onClose}
    >
      <PromotionCodeField name="promotionCode" required hint="In any case." problem={problems.of.promotionCode} />
    </FormDialog>
  );
}

function RemoveDialog({ subscription, onClose }: DialogProps) {
  const { billing, key } = useProject();
  const remove = useWrite({
    write: () => billing.subscriptions.setDiscount(subscription.id, { promotionCode: null }),
    stale: [key('subscriptions')],
    done: 'The discounts are removed.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Remove the discounts" action="Remove" write={remove} onClose={onClose}>
      From the next invoice on the customer pays the whole price. Its{' '}
      {subscription.discounts.length === 1 ? 'discount is' : 'discounts are'} removed here and in Stripe.
    </ConfirmDialog>
  );
}
