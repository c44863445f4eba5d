import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { findSubscription } from '#api/find-subscription.ts';
import { useProject } from '#api/project.ts';
import { foundQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { Skeleton } from '#ui/states.tsx';

interface NamedItems {
  readonly items: readonly Pick<Subscription['items'][number], 'priceId' | 'processorPriceId'>[];
}

/** The names of the products that a subscription is to; the id of a price that is not known here. */
export function ProductNames({ items }: NamedItems) {
  const names = useProductNames();
  if (!names.isLoaded) return <Skeleton width="6rem" />;
  return <bdi>{names.ofItems(items)}</bdi>;
}

/** The same as a link to the subscription's page. */
export const SubscriptionLink = ({
  subscription,
}: {
  readonly subscription: Pick<Subscription, 'id'> & NamedItems;
}) => (
  <ProjectLink page={`subscriptions/${subscription.id}`} className="primary-cell">
    <ProductNames items={subscription.items} />
  </ProjectLink>
);

/** The link to a subscription of which only the id is known. */
export function SubscriptionIdLink({ id }: { readonly id: string }) {
  const scope = useProject();
  const { data, isPending } = useQuery(foundQuery(scope, 'subscription-name', findSubscription, id));
  if (data) return <SubscriptionLink subscription={data} />;
  return (
    <ProjectLink page={`subscriptions/${id}`} className="primary-cell">
      {isPending ? <Skeleton width="6rem" /> : <code>{id}</code>}
    </ProjectLink>
  );
}
