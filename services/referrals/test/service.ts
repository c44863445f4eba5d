import { randomBytes } from 'node:crypto';
import type { ServiceDefinition } from '@billing/service/definition';
import { startTestService } from '@billing/service/testing/start-test-service';
import type { TestAccount } from '@billing/service/testing/test-account';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId } from '@billing/contracts/ids';
import { FindCustomer, HasSubscribed } from '@billing/contracts/rpc/calls';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { generateCode } from '../src/domain/code.ts';
import type { referralsEnv } from '../src/env.ts';
import { referralsService } from '../src/service.ts';

export interface ServiceOptions {
  /** The teams' accounts at the local processor. */
  readonly account?: TestAccount;
  /** Stands between the service and the teams' accounts. */
  readonly wrap?: (processors: TeamProcessors) => TeamProcessors;
  /** Fast by default. */
  readonly creditTiming?: NonNullable<Parameters<typeof referralsService>[0]>['creditTiming'];
  /** Whether the subscriptions service replies; by default it does. */
  readonly isSubscriptionsUp?: boolean;
}

const FAST = { quietSeconds: 0.1, maxDelaySeconds: 0.1, intervalMs: 50 };

/** Starts referrals with its own database and bus, and with customers and subscriptions that reply from memory. */
export async function startService(options: ServiceOptions = {}) {
  const { account, wrap = it => it, creditTiming = FAST, isSubscriptionsUp = true } = options;
  const codes: string[] = [];
  let time: Date | undefined;
  const newCode = () => codes.shift() ?? generateCode();
  const definition = wrapProcessors(referralsService({ newCode, creditTiming }), wrap);
  const testOptions = {
    now: () => time ?? new Date(),
    ...(account ? { account } : { env: { SERVICE_KEY: randomBytes(32).toString('base64') } }),
  };
  const service = await startTestService(definition, testOptions);

  const customers = new Map<CustomerId, CustomerState>();
  const subscribers = new Set<CustomerId>();
  await service.serve(FindCustomer, async ({ projectId, customerId }) => {
    const state = customers.get(customerId);
    return state && state.projectId === projectId && !state.deletedAt ? state : null;
  });
  if (isSubscriptionsUp)
    await service.serve(HasSubscribed, async ({ customerId }) => ({ subscribed: subscribers.has(customerId) }));

  return {
    ...service,
    /** What the customers service returns. */
    customers,
    /** Who ever subscribed, as the subscriptions service returns it. */
    subscribers,
    /** Sets the codes that are generated next. */
    generateNext: (...next: string[]) => void codes.push(...next),
    setTime: (instant: Date | undefined) => void (time = instant),
    /** Starts one more copy of the service on the same database and bus. */
    startCopy: () => startTestService(definition, { ...testOptions, besides: service }),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

type Definition = ServiceDefinition<
  typeof referralsEnv,
  Awaited<ReturnType<ReturnType<typeof referralsService>['parts']>>
>;

const wrapProcessors = (definition: Definition, wrap: (processors: TeamProcessors) => TeamProcessors): Definition => ({
  ...definition,
  parts: chassis => definition.parts({ ...chassis, processors: wrap(chassis.processors) }),
});
