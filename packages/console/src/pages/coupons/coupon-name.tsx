import type { Coupon, PromotionCode } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { couponQuery, promotionCodeQuery } from '#api/queries.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { Skeleton } from '#ui/states.tsx';
import { StatusBadge } from '#ui/statuses.tsx';
import { useNow } from '#ui/time.tsx';
import { codeStatus, couponStatus } from './coupon-words.ts';

/** A coupon as a link to its page, of which only the id is known. */
export function CouponLink({ id }: { readonly id: string }) {
  const { data, error } = useQuery(couponQuery(useProject(), id));
  if (!data && !error) return <Skeleton width="6rem" />;
  return (
    <ProjectLink page={`coupons/${id}`} className="primary-cell">
      <bdi>{data?.name ?? data?.processorCouponId ?? id}</bdi>
    </ProjectLink>
  );
}

/** A promotion code as a link to its page. */
export const CodeLink = ({ id, code }: { readonly id: string; readonly code: string }) => (
  <ProjectLink page={`promotion-codes/${id}`} className="primary-cell">
    <code>{code}</code>
  </ProjectLink>
);

/** The same, of a code of which only the id is known. */
export function CodeIdLink({ id }: { readonly id: string }) {
  const { data, error } = useQuery(promotionCodeQuery(useProject(), id));
  if (!data && !error) return <Skeleton width="5rem" />;
  return <CodeLink id={id} code={data?.code ?? id} />;
}

/** Whether a coupon can still be redeemed. */
export const CouponStatus = ({ coupon }: { readonly coupon: Coupon }) => (
  <StatusBadge of={couponStatus(coupon, useNow())} />
);

/** Whether a promotion code can be redeemed. */
export const CodeStatus = ({ code }: { readonly code: PromotionCode }) => (
  <StatusBadge of={codeStatus(code, useNow())} />
);
