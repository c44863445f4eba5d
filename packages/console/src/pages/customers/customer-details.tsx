import type { Customer } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Time } from '#ui/time.tsx';

export function CustomerDetails({ customer }: { readonly customer: Customer }) {
  const { id, email, externalId, processorCustomerId, createdAt, metadata } = customer;
  return (
    <Card title="Details">
      <dl className="details narrow">
        <dt>Id</dt>
        <dd>
          <CopyableId id={id} />
        </dd>
        <dt>E-mail</dt>
        <dd>{email}</dd>
        {externalId && (
          <>
            <dt>External id</dt>
            <dd>
              <CopyableId id={externalId} />
            </dd>
          </>
        )}
        <dt>Stripe id</dt>
        <dd>
          <CopyableId id={processorCustomerId} />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} show="time" />
        </dd>
        {Object.entries(metadata).map(([name, value]) => (
          <Metadata key={name} name={name} value={value} />
        ))}
      </dl>
    </Card>
  );
}

function Metadata({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd dir="auto">{value}</dd>
    </>
  );
}
