import type { Customer } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Icon } from '#ui/icon.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { referralQuery } from './referral-query.ts';
import { timelineOf } from './timeline.ts';

/** What happened with a customer, newest first. */
export function CustomerTimeline({ customer, limit }: { readonly customer: Customer; readonly limit: number }) {
  const scope = useProject();
  const { billing, key } = scope;
  const customerId = customer.id;
  const names = useProductNames();
  const { data: referrals } = useQuery(referralQuery(scope, customerId));
  const { data, error } = useQuery({
    queryKey: key('timeline', customerId),
    queryFn: async ({ signal }) => {
      const filter = { customerId, limit };
      const [subscriptions, invoices, payments] = await Promise.all([
        billing.subscriptions.list({ ...filter, activeOnly: false }, { signal }).page(),
        billing.invoices.list(filter, { signal }).page(),
        billing.payments.list(filter, { signal }).page(),
      ]);
      return { subscriptions: subscriptions.items, invoices: invoices.items, payments: payments.items };
    },
    refetchInterval: 5_000,
  });
  return (
    <Card title="Timeline">
      {error && !data && <ErrorState error={error} />}
      {!data && !error && <SkeletonLines lines={4} />}
      <ol className="timeline">
        {data &&
          timelineOf({
            customer,
            referral: referrals?.referral ?? null,
            nameItems: names.ofItems,
            ...data,
          }).map(({ at, icon, text, page }, index) => (
            <li key={`${at}${index}`}>
              <Icon name={icon} />
              <div>
                {page ? <ProjectLink page={page}>{text}</ProjectLink> : text}
                <div className="muted small">
                  <Time at={at} show="relative" />
                </div>
              </div>
            </li>
          ))}
      </ol>
    </Card>
  );
}
