import type { ProjectId } from '@billing/contracts/ids';
import type { RoutedBy } from '@billing/contracts/resources/webhook-event';
import type { Reference } from './route-hints.rules.ts';
import type { RouteHints } from './route-hints.rules.ts';

/** Where an event goes, the project of its record first. */
export interface Route {
  readonly projects: readonly [ProjectId, ...ProjectId[]];
  readonly routedBy: RoutedBy;
  /** How many more projects have the customer than an event may go to. */
  readonly leftOut: number;
}

/** An event goes to at most so many projects. */
export const MAX_PROJECTS = 100;

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
  /** `isShared` when several projects have the customer, so that it is foreign to none of them. */
  | { readonly kind: 'needs-customer'; readonly customerId: string; readonly isShared: boolean }
  /** Neither the object nor its customer leads to a project of the team: another product's, or another installation's. */
  | { readonly kind: 'foreign' };

/**
 * Finds the project of an event, or what must be looked up to find it: the metadata of the object itself, then the known
 * ids, then the customer's metadata. A project of another team is never used. A customer's own events go to every project
 * that has the customer, at most 100; where another event only names a shared customer, the customer's metadata chooses among those
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
    const [first, ...others] = projects;
    if (first && (others.length === 0 || hints.fansOut)) return route('known-id', [first, ...others]);
    if (shared.length === 0) shared = projects;
  }
  return byCustomer(hints, lookup, shared);
}

function byCustomer(hints: RouteHints, lookup: RouteLookup, shared: readonly ProjectId[]): Decision {
  const { customerId } = hints;
  const { customerNames } = lookup;
  if (customerId !== null && customerNames === undefined)
    return { kind: 'needs-customer', customerId, isShared: shared.length > 0 };
  if (customerNames) {
    const own = lookup.isOwn(customerNames);
    if (own === undefined) return { kind: 'needs-project', projectId: customerNames };
    if (own && (shared.length === 0 || shared.includes(customerNames)))
      return route('customer-metadata', [customerNames]);
  }
  const [first] = shared;
  if (first) return route('known-id', [first]);
  return { kind: 'foreign' };
}

const holders = (hints: RouteHints, lookup: RouteLookup) => hints.references.flatMap(it => lookup.projectsOf(it));

function route(routedBy: RoutedBy, [first, ...others]: readonly [ProjectId, ...ProjectId[]]): Decision {
  const rest = [...new Set(others)].filter(project => project !== first);
  const projects = [first, ...rest.slice(0, MAX_PROJECTS - 1)] as const;
  return { kind: 'route', route: { projects, routedBy, leftOut: rest.length + 1 - projects.length } };
}
