import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { stateQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useFirstPage } from '#layout/use-list-rows.ts';
import { FrameDialogButton } from '#resource/dialog-button.tsx';
import { formatItems } from '#ui/amount.ts';
import { Time } from '#ui/time.tsx';
import { describeOff } from '../coupons/coupon-words.ts';
import { SubscriptionLink } from '../products/product-name.tsx';
import { ownDiscounts, RemoveDiscountsDialog, SetDiscountDialog } from '../subscriptions/discounts-card.tsx';
import { AddNextItem, NextItems } from '../subscriptions/next-items.tsx';
import { hasEnded, nextStep } from '../subscriptions/next-step.ts';
import { PlannedChanges } from '../subscriptions/planned-changes.tsx';
import { SubscriptionActions } from '../subscriptions/subscription-actions.tsx';
import { SubscriptionStatus } from '../subscriptions/subscription-summary.tsx';
import { customerLists } from './customer-records.ts';

/** What a customer has subscribed to, each with what can be done about it, and the checkouts that are open. */
export function CustomerSubscriptions({ customerId }: { readonly customerId: string }) {
  const scope = useProject();
  const query = useFirstPage(customerLists(scope, customerId).subscriptions);
  const { data: state } = useQuery(stateQuery(scope, customerId));
  const { items = [], total = 0 } = query.data ?? {};
  const names = useProductNames();
  const checkouts = state?.pendingCheckouts ?? [];
  const ended = items.filter(hasEnded);
  return (
    <Card title="Subscriptions" flush>
      {!query.data && <Loading query={query} flush lines={3} />}
      {query.data && total === 0 && checkouts.length === 0 && (
        <p className="card-body muted">
          None. “New subscription” sells one, and “New checkout” makes a link where this customer subscribes.
        </p>
      )}
      <ul className="entries">
        {items
          .filter(it => !hasEnded(it))
          .map(subscription => (
            <SubscriptionRow key={subscription.id} subscription={subscription} />
          ))}
        {checkouts.map(({ sessionId, priceId, url, createdAt }) => (
          <li key={sessionId}>
            <span className="grow">
              Open checkout{' '}
              <a href={url} target="_blank" rel="noreferrer">
                <bdi>{names.ofPrice(priceId) ?? priceId}</bdi>
              </a>{' '}
              <span className="muted">
                of <Time at={createdAt} show="relative" />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {ended.length > 0 && (
        <details className="card-body more">
          <summary>{ended.length === 1 ? '1 that has ended' : `${ended.length} that have ended`}</summary>
          <ul className="stack-s">
            {ended.map(subscription => (
              <li key={subscription.id}>
                <SubscriptionLink subscription={subscription} />{' '}
                <span className="muted">
                  {formatItems(subscription.items)}, ended <Time at={nextStep(subscription).at} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {total > items.length && (
        <p className="card-body muted">
          and {total - items.length} older ones, under <ProjectLink page="subscriptions">Subscriptions</ProjectLink>
        </p>
      )}
    </Card>
  );
}

function SubscriptionRow({ subscription }: { readonly subscription: Subscription }) {
  const { items, discounts } = subscription;
  const { words, at } = nextStep(subscription);
  return (
    <li>
      <div className="grow">
        <div className="row">
          <SubscriptionLink subscription={subscription} />
          <SubscriptionStatus subscription={subscription} />
        </div>
        <div className="muted small">
          {formatItems(items)} · {words} {at && <Time at={at} />}
          {discounts.map(discount => ` · ${describeOff(discount)}`)}
        </div>
      </div>
      <div className="row">
        <SubscriptionActions subscription={subscription} all small>
          {ownDiscounts(subscription).length > 0 ? (
            <FrameDialogButton small dialog={<RemoveDiscountsDialog subscription={subscription} />}>
              Remove discount…
            </FrameDialogButton>
          ) : (
            <FrameDialogButton small dialog={<SetDiscountDialog subscription={subscription} />}>
              Discount…
            </FrameDialogButton>
          )}
        </SubscriptionActions>
      </div>
      <PlannedChanges subscription={subscription} />
      <NextItemsOnDemand subscription={subscription} />
    </li>
  );
}

/** What comes with the next invoice, read when it is opened: a customer may have many subscriptions. */
function NextItemsOnDemand({ subscription }: { readonly subscription: Subscription }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="more" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>With the next invoice</summary>
      {isOpen && (
        <div className="stack-s">
          <NextItems subscription={subscription} />
          <AddNextItem subscription={subscription} />
        </div>
      )}
    </details>
  );
}
