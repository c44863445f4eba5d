import type { PromotionCode } from '@billing/client';
import { useProject } from '#api/project.ts';
import type { Column } from '#layout/list-table.tsx';
import { SwitchButton } from '#layout/switch-button.tsx';
import { Time } from '#ui/time.tsx';
import { CodeLink, CodeStatus, CouponLink } from './coupon-name.tsx';
import { describeRedeemed } from './coupon-words.ts';

/** The columns of promotion codes of one coupon. */
export const CODE_COLUMNS: readonly Column<PromotionCode>[] = [
  { title: 'Code', cell: ({ id, code }) => <CodeLink id={id} code={code} /> },
  { title: 'Status', width: 'status', cell: code => <CodeStatus code={code} /> },
  { title: 'Redeemed', width: 110, end: true, cell: code => <span className="num">{describeRedeemed(code)}</span> },
  { title: 'Created', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Expires',
    width: 'time',
    cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} show="time" /> : <span className="muted">Never</span>),
  },
  { title: 'Actions', width: 126, end: true, cell: code => <SwitchCode code={code} small /> },
];

/** The columns of the promotion codes of all coupons. */
export const ALL_CODE_COLUMNS: readonly Column<PromotionCode>[] = CODE_COLUMNS.toSpliced(1, 0, {
  title: 'Coupon',
  cell: ({ couponId }) => <CouponLink id={couponId} />,
});

interface SwitchCodeProps {
  readonly code: PromotionCode;
  readonly small?: boolean;
}

/** Deactivates a promotion code, or activates it again. */
export function SwitchCode({ code: { id, code, isActive }, ...size }: SwitchCodeProps) {
  const { billing, key } = useProject();
  return (
    <SwitchButton
      noun="promotion code"
      isActive={isActive}
      off="Deactivate"
      write={to => billing.promotionCodes.update(id, { isActive: to })}
      stale={[key('promotion-codes')]}
      done={(_, to) => `The promotion code is ${to ? 'active' : 'inactive'}, here and in Stripe.`}
      {...size}
    >
      Nobody can redeem <code>{code}</code> any more, here and in Stripe. Subscriptions that have its discount keep it,
      and it can be activated again.
    </SwitchButton>
  );
}
