import type { ProjectId } from '@billing/contracts/ids';
import type { RoutedBy } from '@billing/contracts/resources/webhook-event';
import type { Reference } from './reference.ts';
import type { RouteHints } from './route-hints.ts';

/** Where an event goes: never empty, the record's own project first. */
export interface Route {
  readonly projects: readonly [ProjectId, ...ProjectId[]];
  readonly routedBy: RoutedBy;
}

/** What is known at the moment; `undefined` stands for what was not asked yet. */
export interface Knowledge {
  /** Whether the project is one of the team's. */
  isOwn(project: ProjectId): boolean | undefined;
  /** The projects that hold a thing, the one that held it first before the others. */
  projectsOf(reference: Reference): readonly ProjectId[];
  /** The project that the customer's metadata names at the processor; null for none. */
  readonly customerNames: ProjectId | null | undefined;
}

export type Decision =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'ask-project'; readonly projectId: ProjectId }
  | { readonly kind: 'ask-customer'; readonly customerId: string }
  | { readonly kind: 'unroutable' };

/**
 * Finds the project of an event, or what must be asked to find it: the metadata of the object itself, then the ids
 * already known, then the customer's metadata. A project of another team is passed over. A customer's own events go
 * to every project that holds the customer; where another event knows only a shared customer, the customer's metadata
 * chooses among those projects, and else the project that held the customer first.
 */
export function decideRoute(hints: RouteHints, knowledge: Knowledge): Decision {
  for (const project of hints.named) {
    const own = knowledge.isOwn(project);
    if (own === undefined) return { kind: 'ask-project', projectId: project };
    if (own) return route('object-metadata', [project, ...(hints.fansOut ? holders(hints, knowledge) : [])]);
  }
  let shared: readonly ProjectId[] = [];
  for (const reference of hints.references) {
    const projects = knowledge.projectsOf(reference);
    if (projects.length === 1 || (projects.length > 1 && hints.fansOut)) return route('known-id', projects);
    if (shared.length === 0) shared = projects;
  }
  return byCustomer(hints, knowledge, shared);
}

function byCustomer({ customerId }: RouteHints, knowledge: Knowledge, shared: readonly ProjectId[]): Decision {
  const { customerNames } = knowledge;
  if (customerId !== null && customerNames === undefined) return { kind: 'ask-customer', customerId };
  if (customerNames) {
    const own = knowledge.isOwn(customerNames);
    if (own === undefined) return { kind: 'ask-project', projectId: customerNames };
    if (own && (shared.length === 0 || shared.includes(customerNames)))
      return route('customer-metadata', [customerNames]);
  }
  return route('known-id', shared.slice(0, 1));
}

const holders = (hints: RouteHints, knowledge: Knowledge) => hints.references.flatMap(it => knowledge.projectsOf(it));

function route(routedBy: RoutedBy, projects: readonly ProjectId[]): Decision {
  const [first, ...others] = new Set(projects);
  return first ? { kind: 'route', route: { projects: [first, ...others], routedBy } } : { kind: 'unroutable' };
}
