import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import { executeBound } from '@billing/database/bound-statement';
import type { RpcClient } from '@billing/messaging/rpc';
import { isMissing } from '@billing/processor/errors';
import { namedProject } from '@billing/processor/metadata';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { TABLES } from './raw-object.rules.ts';
import { readRouteHints } from './route-hints.rules.ts';
import { decideRoute, type Route } from './route.rules.ts';
import { lookUpOncePerHour } from './customer-look-ups.ts';
import type { Routes } from './route-rows.ts';
import { findMirrored } from './team-schema.ts';
import type { PipelineEvent } from './lease.ts';

export interface LookUpParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
}

/** Opens the look-ups of a process: what other services, Stripe and the team's schema know about where an event goes. */
export function openLookUps({ em, rpc, processors }: LookUpParts) {
  const running = new Map<string, Promise<ProjectId | null>>();

  /**
   * Finds the project that a customer names whom no project of the team has: a flood of its events costs one call an hour, and
   * they wait for it together.
   */
  function findUnknown(teamId: TeamId, customerId: string): Promise<ProjectId | null> {
    const key = `${teamId} ${customerId}`;
    const lookUp = () =>
      lookUpOncePerHour(em, teamId, customerId, () => findNamedProject(processors, teamId, customerId));
    const shared = running.get(key) ?? lookUp().finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  }

  /**
   * Finds where an event goes, null for one that is foreign: reads projects from the gateway, customers from Stripe.
   * @throws Problem `unavailable` when one of them is
   */
  async function findRoute({ teamId, hints }: PipelineEvent, routes: Routes): Promise<Route | null> {
    const lookup = routes(teamId);
    const isOwn = new Map<ProjectId, boolean>();
    let customerNames: ProjectId | null | undefined;
    for (;;) {
      const decision = decideRoute(hints, {
        ...lookup,
        isOwn: project => lookup.isOwn(project) ?? isOwn.get(project),
        customerNames,
      });
      switch (decision.kind) {
        case 'route':
          return decision.route;
        case 'foreign':
          return null;
        case 'needs-project': {
          const { projectId } = decision;
          isOwn.set(projectId, (await rpc.call(FindProject, { teamId, projectId })) !== null);
          break;
        }
        case 'needs-customer':
          customerNames = decision.isShared
            ? await findNamedProject(processors, teamId, decision.customerId)
            : await findUnknown(teamId, decision.customerId);
          break;
      }
    }
  }

  /**
   * Adds to the hints of an event those of the payment or invoice that it names: a refund, a dispute or an invoice's payment names
   * no customer, but that does. It is usually in the team's schema, or, if it is foreign, in its own event; else it is read from
   * Stripe.
   * @throws Problem `unavailable` when Stripe is
   */
  async function followPayment<Event extends PipelineEvent>(event: Event): Promise<Event> {
    const { teamId, hints } = event;
    if (!hints.payment) return event;
    const { kind, id } = hints.payment;
    const mirrored = await findMirrored(em, teamId, TABLES[kind], [id]);
    const received = mirrored.get(id) ?? (await findReceived(em, teamId, id));
    const payment = received ?? (await (await processors.of(teamId)).findObject(kind, id));
    if (!payment) return event;
    const ofPayment = readRouteHints(`${kind}.succeeded`, payment);
    return { ...event, hints: { ...ofPayment, named: [...hints.named, ...ofPayment.named] } };
  }

  return { findRoute, followPayment };
}

/** An object as one of its events has it that still has a payload. */
async function findReceived(em: EntityManager, teamId: TeamId, objectId: string) {
  const [row] = await executeBound<{ object: Record<string, unknown> }>(
    em.fork(),
    `select payload::json #> '{data,object}' as object from webhook_events
      where team_id = $1 and object_id = $2 and payload is not null limit 1`,
    [teamId, objectId],
  );
  return row?.object;
}

async function findNamedProject(processors: TeamProcessors, teamId: TeamId, customerId: string) {
  const processor = await processors.of(teamId);
  try {
    const customer = await processor.findCustomer(customerId);
    return customer.deleted ? null : (namedProject(customer.metadata) ?? null);
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
}
