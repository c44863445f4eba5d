import type { PromotionCode } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { Time } from '#ui/time.tsx';
import { CodeLink, CodeStatus, CouponLink } from './coupon-name.tsx';
import { describeRedeemed } from './coupon-words.ts';
import { SwitchCode } from './switch-code.tsx';

/** The columns of promotion codes of one coupon. */
export const CODE_COLUMNS: readonly Column<PromotionCode>[] = [
  { title: 'Code', cell: ({ id, code }) => <CodeLink id={id} code={code} /> },
  { title: 'Status', cell: code => <CodeStatus code={code} /> },
  { title: 'Redeemed', cell: code => <span className="num">{describeRedeemed(code)}</span> },
  { title: 'Expires', cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} show="time" /> : 'Never') },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Actions', end: true, cell: code => <SwitchCode code={code} small /> },
];

/** The columns of the promotion codes of all coupons. */
export const ALL_CODE_COLUMNS: readonly Column<PromotionCode>[] = CODE_COLUMNS.toSpliced(1, 0, {
  title: 'Coupon',
  cell: ({ couponId }) => <CouponLink id={couponId} />,
});
