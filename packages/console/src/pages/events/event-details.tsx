import type { BillingEvent, EventObjectType } from '@billing/client';
import { type Place, ProjectLink } from '#layout/project-link.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { sentence } from '#ui/sentence.ts';
import { Time } from '#ui/time.tsx';
import { CAUSES } from './causes.ts';

/** What an event is about, its place among others, and where it came from. */
export function EventDetails({ event, narrow = false }: { readonly event: BillingEvent; readonly narrow?: boolean }) {
  const { id, type, object, cause, position, livemode, timestamp } = event;
  const place = PLACES[object.type]?.(object.id);
  return (
    <Details
      narrow={narrow}
      of={{
        Type: <code>{type}</code>,
        Happened: <Time at={timestamp} show="seconds" />,
        [sentence(object.type)]: place ? (
          <ProjectLink {...place}>
            <code>{object.id}</code>
          </ProjectLink>
        ) : (
          <CopyableId id={object.id} />
        ),
        Change: `number ${object.sequence} of this object`,
        Position: position,
        Cause: CAUSES[cause.type],
        'Request id': cause.requestId && <CopyableId id={cause.requestId} />,
        'Event of Stripe': cause.processorEventId && <CopyableId id={cause.processorEventId} />,
        Mode: livemode ? 'live' : 'test',
        Id: <CopyableId id={id} />,
      }}
    />
  );
}

/** The pages that show what events are about, where it has one of its own. */
const PLACES: Readonly<Partial<Record<EventObjectType, (id: string) => Place>>> = {
  customer: id => ({ page: `customers/${id}` }),
  customer_state: id => ({ page: `customers/${id}` }),
  product: id => ({ page: `products/${id}` }),
  subscription: id => ({ page: `subscriptions/${id}` }),
  invoice: id => ({ page: `invoices/${id}` }),
  payment: id => ({ page: `payments/${id}` }),
  referral_code: id => ({ page: `referrals/${id}` }),
  webhook_endpoint: id => ({ page: `webhook-endpoints/${id}` }),
};
