import { ProjectId } from '@billing/contracts/ids';
import { z } from 'zod';
import type { Reference, ReferenceKind } from './reference.ts';

/** What an event itself says about its project. */
export interface RouteHints {
  /** Projects that the object's metadata names, the nearest first; they may be another team's. */
  readonly named: readonly ProjectId[];
  /** Stripe's objects whose project may be known, the most specific first. */
  readonly references: readonly Reference[];
  readonly customerId: string | null;
  /** Whether it goes to every project that has the customer: several may share one. */
  readonly fansOut: boolean;
}

const id = z.union([z.string(), z.object({ id: z.string() }).transform(it => it.id)]).catch('');
const named = z
  .object({ projectId: ProjectId.schema })
  .transform(it => it.projectId)
  .optional()
  .catch(undefined);
const details = z.object({ metadata: named, subscription: id }).partial().optional().catch(undefined);
/** The fields that name a project or an object, in the places of every API version; other shapes count as absent. */
const fields = z.object({
  id,
  metadata: named,
  customer: id,
  subscription: id,
  product: id,
  /** Invoices since 2025-03-31. https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects */
  parent: z.object({ subscription_details: details }).partial().optional().catch(undefined),
  /** Invoices before. */
  subscription_details: details,
});

/** Reads an event's hints from its type and object. */
export function readRouteHints(type: string, object: Readonly<Record<string, unknown>>): RouteHints {
  const read = fields.parse(object);
  const parent = read.parent?.subscription_details;
  const own = ownKind(type);
  const idOf = (kind: ReferenceKind) => (own === kind ? read.id : kind === 'price' ? '' : read[kind]);
  const subscriptionId = idOf('subscription') || parent?.subscription || '';
  const customerId = idOf('customer');
  const candidates: Reference[] = [
    { kind: 'subscription', id: subscriptionId },
    { kind: 'customer', id: customerId },
    { kind: 'price', id: idOf('price') },
    { kind: 'product', id: idOf('product') },
  ];
  return {
    named: [read.metadata, parent?.metadata, read.subscription_details?.metadata].filter(it => it !== undefined),
    references: candidates.filter(it => it.id !== ''),
    customerId: customerId || null,
    fansOut: own === 'customer',
  };
}

/** The kind of the event's own object, if other objects refer to it. */
function ownKind(type: string): ReferenceKind | undefined {
  if (type.startsWith('customer.subscription.')) return 'subscription';
  if (type.startsWith('customer.')) return 'customer';
  if (type.startsWith('product.')) return 'product';
  return type.startsWith('price.') ? 'price' : undefined;
}
