import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

/** A project with endpoints. */
export interface ProjectRef {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  /** Ids of its endpoints. */
  readonly endpoints: readonly string[];
}

/** What delivers events: we, or what a team builds itself. */
export interface Side {
  /** Makes projects with so many endpoints together, under paths of the receiver. */
  newProjects(endpoints: number, receiverUrl: string): Promise<readonly ProjectRef[]>;
  /** Commits so many changes of customers of each project, in transactions of up to 100 changes. */
  change(projects: readonly ProjectRef[], each: number): Promise<void>;
  /** Makes projects as `newProjects` does, whose changes a tenant or its application makes one by one. */
  newLiveProjects(endpoints: number, urlOf: (index: number) => string): Promise<readonly LiveProject[]>;
  /** Sends nothing to the endpoints of these projects until `resume`. */
  pause(projects: readonly ProjectRef[]): Promise<void>;
  /** Waits until everything that changed meanwhile waits for the endpoints. */
  untilWaiting(projects: readonly ProjectRef[]): Promise<void>;
  resume(projects: readonly ProjectRef[]): Promise<void>;
  /** Includes an endpoint in what is sent from now on, or leaves it out. */
  include(endpoint: string, isIncluded: boolean): Promise<void>;
}

/** A project whose changes are made one by one. */
export interface LiveProject extends ProjectRef {
  /** Commits one change; its event tells when. */
  changeOne(): Promise<void>;
}

/** Endpoints of one project: as many as a project may have. */
const PER_PROJECT = 20;
const PROJECTS_OF_TEAM = 10;
/** Changes that one transaction commits. */
const PER_TRANSACTION = 100;
/** The events of one customer follow each other. */
const CHANGES_OF_CUSTOMER = 10;

/** Returns projects with so many endpoints together, ten of a team. */
export function planProjects(endpoints: number): readonly ProjectRef[] {
  const teams = new Map<number, TeamId>();
  return Array.from({ length: Math.ceil(endpoints / PER_PROJECT) }, (_, index) => {
    const team = Math.floor(index / PROJECTS_OF_TEAM);
    const teamId = teams.get(team) ?? TeamId.create();
    teams.set(team, teamId);
    return { teamId, projectId: ProjectId.create(), endpoints: newEndpointIds(endpoints - index * PER_PROJECT) };
  });
}

const newEndpointIds = (wanted: number): readonly string[] =>
  Array.from({ length: Math.min(PER_PROJECT, wanted) }, () => `whe_${crypto.randomUUID().replaceAll('-', '')}`);

/** A change of a customer as both sides tell of it. */
export interface CustomerChange {
  readonly type: 'customer.created' | 'customer.updated';
  readonly at: string;
  readonly object: { readonly type: 'customer'; readonly id: CustomerId; readonly sequence: number };
  readonly cause: object;
  readonly data: object;
  readonly previousAttributes: object | null;
}

/** Returns changes of new customers of a project, who take turns, in the batches that one transaction commits. */
export function* changesOf({ projectId }: ProjectRef, count: number): Generator<readonly CustomerChange[]> {
  const customers = Array.from({ length: Math.ceil(count / CHANGES_OF_CUSTOMER) }, () => CustomerId.create());
  for (let first = 0; first < count; first += PER_TRANSACTION)
    yield Array.from({ length: Math.min(PER_TRANSACTION, count - first) }, (_, index) => {
      const turn = first + index;
      const id = customers[turn % customers.length] ?? CustomerId.create();
      return customerChange(projectId, id, 1 + Math.floor(turn / customers.length));
    });
}

/** One change, which happens now. */
export const customerChange = (projectId: ProjectId, id: CustomerId, sequence: number): CustomerChange => ({
  type: sequence === 1 ? 'customer.created' : 'customer.updated',
  at: new Date().toISOString(),
  object: { type: 'customer', id, sequence },
  cause: { type: 'api', requestId: 'req_bench', processorEventId: null },
  data: {
    id,
    email: 'ada.lovelace@example.com',
    name: `Ada ${sequence}`,
    externalId: 'user-815',
    processorCustomerId: 'cus_U2bR1mXq7PzT4s',
    metadata: { accountId: '4711', plan: 'team', source: 'website' },
    projectId,
    createdAt: '2026-03-02T09:15:00.000Z',
    updatedAt: '2026-03-02T09:15:00.000Z',
  },
  previousAttributes: sequence === 1 ? null : { name: `Ada ${sequence - 1}` },
});
