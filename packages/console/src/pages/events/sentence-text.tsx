import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { findInvoice } from '#api/find-invoice.ts';
import { findSubscription } from '#api/find-subscription.ts';
import { useProject } from '#api/project.ts';
import { foundQuery, productsQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Skeleton } from '#ui/states.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import type { Named, Sentence } from './sentence.ts';

interface NameProps {
  readonly id: string;
  readonly projectId: string | undefined;
}

const FRESH_MS = 60_000;

function ProductName({ id, projectId }: NameProps) {
  const { data, isPending } = useQuery({ ...productsQuery(useProject(projectId)), staleTime: FRESH_MS });
  if (isPending) return <Skeleton width="4rem" />;
  return <bdi>{data?.find(product => product.id === id)?.name ?? 'that was deleted'}</bdi>;
}

function PriceName({ id, projectId }: NameProps) {
  const names = useProductNames(projectId);
  return names.isLoaded ? <bdi>{names.ofPrice(id) ?? 'a deleted product'}</bdi> : <Skeleton width="4rem" />;
}

function SubscriptionName({ id, projectId }: NameProps) {
  const scope = useProject(projectId);
  const { data, isPending } = useQuery(foundQuery(scope, 'subscription-name', findSubscription, id));
  if (isPending) return <Skeleton width="10rem" />;
  if (!data) return 'a subscription';
  return (
    <>
      <CustomerName id={data.customerId} projectId={projectId} />
      ’s subscription
    </>
  );
}

function InvoiceName({ id, projectId }: NameProps) {
  const scope = useProject(projectId);
  const { data, isPending } = useQuery(foundQuery(scope, 'invoice-name', findInvoice, id));
  if (isPending) return <Skeleton width="5rem" />;
  return <bdi>{data?.number ?? 'without a number'}</bdi>;
}

const NAMES: Readonly<Record<Named['of'], (props: NameProps) => ReactNode>> = {
  customer: CustomerName,
  product: ProductName,
  price: PriceName,
  subscription: SubscriptionName,
  invoice: InvoiceName,
};

interface SentenceTextProps {
  readonly of: Sentence;
  /** Where the names are looked up, if not in the open project. */
  readonly projectId?: string | undefined;
}

/** A sentence with the names of what it is about. */
export const SentenceText = ({ of, projectId }: SentenceTextProps) =>
  of.map((part, at) => {
    if (typeof part === 'string') return part;
    const Name = NAMES[part.of];
    return <Name key={`${at}${part.id}`} id={part.id} projectId={projectId} />;
  });

/** A sentence that opens its details in place. */
export function Happening({ children, ...sentence }: SentenceTextProps & { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="happening" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <SentenceText {...sentence} />
      </summary>
      {isOpen && children}
    </details>
  );
}
