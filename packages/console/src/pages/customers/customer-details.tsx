import type { Customer } from '@billing/client';
import { Fragment } from 'react';
import { Card } from '#layout/page.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
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
          'Stripe id': <CopyableId id={processorCustomerId} />,
          Created: <Time at={createdAt} show="time" />,
        }}
      >
        {Object.entries(metadata).map(([name, value]) => (
          <Fragment key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ))}
      </Details>
    </Card>
  );
}
