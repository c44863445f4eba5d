import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { promotionCodeQuery } from '#api/queries.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { OpenInStripe, StripeId } from '#ui/open-in-stripe.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { CodeStatus, CouponLink } from './coupon-name.tsx';
import { describeAmounts, describeRedeemed } from './coupon-words.ts';
import { SwitchCode } from './code-columns.tsx';

const UP = { page: 'coupons', title: 'Coupons' } as const;

/** A promotion code, and who can redeem it. */
export function PromotionCodePage() {
  const { promotionCodeId = '' } = useParams({ strict: false });
  const query = useQuery(promotionCodeQuery(useProject(), promotionCodeId));
  const { data: code } = query;
  if (!code) return <LoadingPage query={query} title="Promotion code" up={UP} />;
  const { couponId, customerId, minimumAmount, currency } = code;
  return (
    <Page
      title={code.code}
      lead={
        <>
          Redeems <CouponLink id={couponId} />
        </>
      }
      up={UP}
      actions={
        <>
          <OpenInStripe id={code.processorPromotionCodeId} />
          <SwitchCode code={code} />
        </>
      }
    >
      <Card title="Details">
        <Details
          of={{
            Status: <CodeStatus code={code} />,
            Code: <CopyableId id={code.code} />,
            Coupon: <CouponLink id={couponId} />,
            'Who can redeem it': (
              <>
                {customerId ? <CustomerLink id={customerId} /> : 'Everybody'}
                {code.firstTimeOnly && ', before the first payment only'}
              </>
            ),
            'From an amount of': minimumAmount !== null && currency ? formatMoney(minimumAmount, currency) : null,
            'From, in other currencies': describeAmounts(code.currencyOptions),
            Redeemed: describeRedeemed(code),
            Expires: code.expiresAt && <Time at={code.expiresAt} show="time" />,
            Id: <CopyableId id={code.id} />,
            'Stripe id': <StripeId id={code.processorPromotionCodeId} what="the promotion code" />,
            Created: <Time at={code.createdAt} show="time" />,
          }}
        />
      </Card>
    </Page>
  );
}
