import type { Customer } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details, MetadataRows } from '#ui/details.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { Time } from '#ui/time.tsx';

export function CustomerDetails({ customer }: { readonly customer: Customer }) {
  const { id, email, externalId, processorCustomerId, createdAt, metadata } = customer;
  return (
    <Card title="Details">
      <Details
        narrow
        of={{
          Id: <CopyableId id={id} />,
          'E-mail': email,
          'External id': externalId && <CopyableId id={externalId} />,
          'Stripe id': <StripeId id={processorCustomerId} what="the customer" />,
          Created: <Time at={createdAt} show="time" />,
        }}
      >
        <MetadataRows metadata={metadata} />
      </Details>
    </Card>
  );
}
