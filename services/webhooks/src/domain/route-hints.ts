import { ProjectId } from '@billing/contracts/ids';
import { z } from 'zod';
import type { Reference, ReferenceKind } from './reference.ts';

/** What an event itself says about where it belongs. */
export interface RouteHints {
  /** Projects that the object's metadata names, the nearest first; not yet known to be the team's own. */
  readonly named: readonly ProjectId[];
  /** Things by which a project may be known, the most telling first. */
  readonly references: readonly Reference[];
  readonly customerId: string | null;
  /** Whether it goes to every project that holds the customer: several may share one. */
  readonly fansOut: boolean;
}

const id = z.union([z.string(), z.object({ id: z.string() }).transform(it => it.id)]).catch('');
const named = z
  .object({ projectId: ProjectId.schema })
  .transform(it => it.projectId)
  .optional()
  .catch(undefined);
const details = z.object({ metadata: named, subscription: id }).partial().optional().catch(undefined);
/** The fields that tell, wherever an object of any API version has them; what has another shape counts as absent. */
const telling = z.object({
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

/** Reads where an event belongs from its type and object. */
export function readRouteHints(type: string, object: Readonly<Record<string, unknown>>): RouteHints {
  const told = telling.parse(object);
  const parent = told.parent?.subscription_details;
  const own = ownKind(type);
  const idOf = (kind: ReferenceKind) => (own === kind ? told.id : kind === 'price' ? '' : told[kind]);
  const subscriptionId = idOf('subscription') || parent?.subscription || '';
  const customerId = idOf('customer');
  const candidates: Reference[] = [
    { kind: 'subscription', id: subscriptionId },
    { kind: 'customer', id: customerId },
    { kind: 'price', id: idOf('price') },
    { kind: 'product', id: idOf('product') },
  ];
  return {
    named: [told.metadata, parent?.metadata, told.subscription_details?.metadata].filter(it => it !== undefined),
    references: candidates.filter(it => it.id !== ''),
    customerId: customerId || null,
    fansOut: own === 'customer',
  };
}

/** What the object of an event is itself, if others refer to it. */
function ownKind(type: string): ReferenceKind | undefined {
  if (type.startsWith('customer.subscription.')) return 'subscription';
  if (type.startsWith('customer.')) return 'customer';
  if (type.startsWith('product.')) return 'product';
  return type.startsWith('price.') ? 'price' : undefined;
}
