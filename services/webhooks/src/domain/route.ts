import type { ProjectId } from '@billing/contracts/ids';
import type { RoutedBy } from '@billing/contracts/resources/webhook-event';
import type { Reference } from './reference.ts';
import type { RouteHints } from './route-hints.ts';

/** Where an event goes, the project of its record first. */
export interface Route {
  readonly projects: readonly [ProjectId, ...ProjectId[]];
  readonly routedBy: RoutedBy;
}

/** What is known so far; `undefined` means that it was not looked up yet. */
export interface RouteLookup {
  /** Whether the project is one of the team's. */
  isOwn(project: ProjectId): boolean | undefined;
  /** The projects that have a record of the object, the oldest record first. */
  projectsOf(reference: Reference): readonly ProjectId[];
  /** The project that the customer's metadata names at Stripe; null for none. */
  readonly customerNames: ProjectId | null | undefined;
}

export type Decision =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'needs-project'; readonly projectId: ProjectId }
  | { readonly kind: 'needs-customer'; readonly customerId: string }
  | { readonly kind: 'unroutable' };

/**
 * Finds the project of an event, or what must be looked up to find it: the metadata of the object itself, then the known
 * ids, then the customer's metadata. A project of another team is never used. A customer's own events go to every project
 * that has the customer; where another event only names a shared customer, the customer's metadata chooses among those
 * projects, else the project whose record is the oldest.
 */
export function decideRoute(hints: RouteHints, lookup: RouteLookup): Decision {
  for (const project of hints.named) {
    const own = lookup.isOwn(project);
    if (own === undefined) return { kind: 'needs-project', projectId: project };
    if (own) return route('object-metadata', [project, ...(hints.fansOut ? holders(hints, lookup) : [])]);
  }
  let shared: readonly ProjectId[] = [];
  for (const reference of hints.references) {
    const projects = lookup.projectsOf(reference);
    if (projects.length === 1 || (projects.length > 1 && hints.fansOut)) return route('known-id', projects);
    if (shared.length === 0) shared = projects;
  }
  return byCustomer(hints, lookup, shared);
}

function byCustomer({ customerId }: RouteHints, lookup: RouteLookup, shared: readonly ProjectId[]): Decision {
  const { customerNames } = lookup;
  if (customerId !== null && customerNames === undefined) return { kind: 'needs-customer', customerId };
  if (customerNames) {
    const own = lookup.isOwn(customerNames);
    if (own === undefined) return { kind: 'needs-project', projectId: customerNames };
    if (own && (shared.length === 0 || shared.includes(customerNames)))
      return route('customer-metadata', [customerNames]);
  }
  return route('known-id', shared.slice(0, 1));
}

const holders = (hints: RouteHints, lookup: RouteLookup) => hints.references.flatMap(it => lookup.projectsOf(it));

function route(routedBy: RoutedBy, projects: readonly ProjectId[]): Decision {
  const [first, ...others] = new Set(projects);
  return first ? { kind: 'route', route: { projects: [first, ...others], routedBy } } : { kind: 'unroutable' };
}
