import { callersOf } from '@billing/contracts/bus-access';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';

/** The port on which each service listens, and that of `/metrics`. */
export const PORT = 3_000;
export const METRICS_PORT = 9_464;
export const POSTGRES_PORT = 5_432;
export const NATS_PORT = 4_222;

/** Settings that are no secrets, for every service. */
export const SETTINGS = 'billing-settings';
/** The secret of the administrators of PostgreSQL and NATS, for provisioning. */
export const ADMIN_SECRET = 'billing-admin';
/** The name of the Secret with the variables of one service. */
export const secretOf = (service: ServiceName): string => `billing-${service}`;

/** The services behind the gateway. */
export const INNER_SERVICES = SERVICES.filter(service => service !== 'gateway');
/** The services that call Stripe. */
export const PROCESSOR_SERVICES: readonly ServiceName[] = callersOf(FindProcessorCredentials);

/** Labels by which Services, policies and budgets select the pods of a part. */
export const selectorOf = (part: string) => ({
  'app.kubernetes.io/name': part,
  'app.kubernetes.io/part-of': 'billing',
});
/** Selects every pod of the system. */
export const ALL_PODS = { 'app.kubernetes.io/part-of': 'billing' };
