import type { EntityManager } from '@mikro-orm/postgresql';
import type { BusAccess } from '@billing/contracts/bus-access';
import type { ServiceName } from '@billing/contracts/operation';
import type { Rpc } from '@billing/contracts/rpc';
import type { Bus } from '@billing/messaging/bus';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { Outbox } from '@billing/messaging/outbox';
import { serveRpc, type RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Database, DatabaseOptions } from '@billing/database/database';
import type { CleaningTask } from './cleaning.ts';
import type { processorEnv, serviceEnv } from './env.ts';
import type { HealthChecks } from './health.ts';
import type { HttpServer, HttpServerOptions } from './http.ts';
import type { Gauge } from './gauges.ts';
import type { RequestPlaces } from './request-places.ts';
import type { TeamReads } from './team-reads.ts';
import type { Purge } from './purge.ts';
import type { IsOverloaded, IsTeamOverloaded } from './overloaded.ts';
import type { Logger } from 'pino';
import type { z } from 'zod';

type ServiceEnv = z.output<typeof serviceEnv>;

/** Variables that the chassis reads. The gateway has no public key; a service without Stripe has no service key. */
export type ChassisEnv = Omit<ServiceEnv, 'IDENTITY_PUBLIC_KEY'> &
  Partial<Pick<ServiceEnv, 'IDENTITY_PUBLIC_KEY'>> &
  Partial<z.output<typeof processorEnv>>;

/** What a service is made of. */
export interface ServiceDefinition<
  Schema extends z.ZodType<ChassisEnv> = z.ZodType<ChassisEnv>,
  P extends Parts = Parts,
> {
  readonly name: ServiceName;
  /** The service's environment variables. */
  readonly env: Schema;
  /** The service's own tables. The chassis adds those of messaging and of idempotent requests. */
  readonly database: ServiceSchema;
  /** What it does on the bus; as the contracts have it for the name unless given. */
  readonly access?: BusAccess;
  /** Builds the service's parts. It starts nothing that must not run in a test; jobs and consumers start later. */
  readonly parts: (chassis: Chassis<z.output<Schema>>) => P | Promise<P>;
}

/** The tables of a service. */
export interface ServiceSchema extends Pick<
  DatabaseOptions,
  'entities' | 'migrations' | 'poolSize' | 'poolName' | 'statementMs'
> {
  /**
   * Tables beside the outbox whose due rows are unpublished events of teams: too many of them pause writes. They need an index
   * on `team_id, due_at`.
   */
  readonly backlog?: readonly string[];
  /** Makes what the tables need before anything is written, and the migrations cannot make; runs after them at each start. */
  readonly prepare?: (em: EntityManager, at: { readonly now: Date }) => Promise<void>;
}

/** What the chassis provides to every service. */
export interface Chassis<Env extends ChassisEnv = ChassisEnv> {
  readonly env: Env;
  readonly database: Database;
  readonly em: EntityManager;
  /** The same tables on the connections of reads; forks of `em` use them by themselves while a request reads. */
  readonly readEm: EntityManager;
  /** For routes whose requests hold no place. */
  readonly reads: TeamReads;
  /** What the requests of teams share; the chassis's own server takes a place for each. */
  readonly places: RequestPlaces;
  readonly outbox: Outbox;
  readonly bus: Bus;
  /** Calls other services. */
  readonly rpc: RpcClient;
  /** The teams' Stripe accounts; every use throws in a service whose environment has no `SERVICE_KEY`. */
  readonly processors: TeamProcessors;
  readonly isOverloaded: IsOverloaded;
  readonly isTeamOverloaded: IsTeamOverloaded;
  /** What `/health/ready` says: nothing works without PostgreSQL, reads do without NATS. */
  readonly health: Required<HealthChecks>;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Closes what the service opens itself: after the relay has stopped, before the bus and the database close. */
  readonly resources: Pick<AsyncDisposableStack, 'adopt' | 'defer' | 'use'>;
}

/** Stops what was started; resolves when the work in flight has ended. */
export type Stop = () => void | Promise<void>;

/** Background work: a function that starts it, or an object with `start` and `stop`. */
export type Job =
  | (() => Stop | { readonly stop: Stop } | Promise<Stop | { readonly stop: Stop }>)
  | { readonly start: () => void | Promise<void>; readonly stop: Stop };

/** One call that the service serves for others; made by `rpcHandler`. */
export interface RpcHandler {
  /** The name of the call. */
  readonly name: string;
  readonly serve: (transport: Parameters<typeof serveRpc>[0]) => () => Promise<void>;
}

/** An HTTP server that listens. */
export interface RunningServer {
  readonly port: number;
  /** Stops accepting requests; resolves when those in flight have ended, or were cut off after five seconds. */
  close(): Promise<void>;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

interface BackgroundParts {
  readonly consumers?: readonly Consumer[];
  readonly rpc?: readonly RpcHandler[];
  readonly jobs?: readonly Job[];
  /** How everything that mirrors a team's account is deleted; for a service that mirrors any of it. */
  readonly purge?: Purge;
  /** What the service measures besides what every service does. */
  readonly gauges?: readonly Gauge[];
  /** Run every hour; they delete expired rows. */
  readonly cleaning?: readonly CleaningTask[];
}

/** Registers routes on a server. */
export type Routes = (app: HttpServer) => void | Promise<void>;

/** The HTTP surface: routes on the chassis's server, a Fastify app, or a server of the service's own. */
type HttpParts =
  | { readonly routes: readonly Routes[]; readonly createApp?: never; readonly listen?: never }
  | { readonly createApp: (options: HttpServerOptions) => HttpServer; readonly routes?: never; readonly listen?: never }
  | {
      readonly listen: (address: ListenAddress) => Promise<RunningServer>;
      readonly routes?: never;
      readonly createApp?: never;
    };

/** What is a service's own. */
export type Parts = BackgroundParts & HttpParts;

/** Types a definition. */
export const defineService = <Schema extends z.ZodType<ChassisEnv>, P extends Parts>(
  definition: ServiceDefinition<Schema, P>,
): ServiceDefinition<Schema, P> => definition;

/** Pairs a call with the function that serves it. */
export const rpcHandler = <Request extends z.ZodType, Reply extends z.ZodType>(
  rpc: Rpc<Request, Reply>,
  handle: (request: z.output<Request>) => Promise<z.output<Reply>>,
): RpcHandler => ({ name: rpc.name, serve: transport => serveRpc(transport, rpc, handle) });
