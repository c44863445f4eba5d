import { randomUUID } from 'node:crypto';
import type { Stripe } from 'stripe';
import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { objectOf, type Service } from './service.ts';
import { startProject } from './start-project.ts';

export const CREATED = 'customer.subscription.created';
export const HALF = {
  level: 'subscription',
  processorPriceId: null,
  percentOff: 50,
  amountOff: null,
  currency: null,
  endsAt: null,
};

/** Creates a coupon of 50 % at the processor. */
export const createCoupon = (
  service: Service,
  coupon: Partial<Parameters<Service['processor']['createCoupon']>[0]> = {},
) =>
  service.processor.createCoupon(
    { name: 'Half', off: { percent: 50 }, duration: 'forever', metadata: {}, ...coupon },
    randomUUID(),
  );

/** Subscribes the customer of a new project to a price of 29.99 with discounts; none of its events is delivered. */
export async function subscribeWithDiscounts(
  service: Service,
  ...discounts: { coupon?: string; promotion_code?: string }[]
) {
  return subscribeWith(service, { discounts });
}

type Given = Stripe.SubscriptionCreateParams;

/** The same with other parameters; the item has the price, and costs 27.50 in euros. */
export async function subscribeWith(
  service: Service,
  { item = {}, ...given }: Partial<Given> & { readonly item?: NonNullable<Given['items']>[number] },
) {
  const project = await startProject(service);
  const { scope, customer } = project;
  const { price, product } = await service.createPrice({}, scope);
  const inEuros = { eur: { unit_amount: 2_750 } };
  await service.account.dashboard.prices.update(price.processorPriceId, { currency_options: inEuros });
  const { id } = await service.account.dashboard.subscriptions.create({
    customer: customer.processorCustomerId,
    items: [{ price: price.processorPriceId, ...item }],
    ...given,
    trial_period_days: 14,
    metadata: { teamId: scope.teamId, projectId: scope.projectId },
  });
  const events = async (type: ProcessorEventType): Promise<Envelope[]> =>
    (await service.account.events(scope, type)).filter(event => objectOf(event)['id'] === id);
  return {
    ...project,
    id,
    price,
    product,
    /** The newest event of a type about the subscription. */
    newest: async (type: ProcessorEventType): Promise<Envelope> => {
      const event = (await events(type)).at(-1);
      if (!event) throw new Error(`There is no ${type} of ${id}.`);
      return event;
    },
    discounts: async () => (await project.subscriptions())[0]?.['discounts'],
    setAtProcessor: (...wanted: Parameters<Service['processor']['setDiscounts']>[1][number][]) =>
      service.processor.setDiscounts(id, wanted, randomUUID()),
  };
}

/** The same subscription, recorded, and a promotion code of the project. */
export async function subscribeWithCode(
  service: Service,
  code: Parameters<Service['createPromotionCode']>[0] = {},
  ...had: { coupon?: string }[]
) {
  const subscribed = await subscribeWithDiscounts(service, ...had);
  await service.deliver(await subscribed.newest(CREATED));
  const created = await service.createPromotionCode(code, subscribed.scope);
  const { processorPromotionCodeId } = created.promotionCode;
  const lost = { path: '/v1/subscriptions/', method: 'POST', mode: 'done-but-response-lost', times: 99 } as const;
  return {
    ...subscribed,
    ...created,
    timesRedeemed: async () => (await service.processor.findPromotionCode(processorPromotionCodeId)).timesRedeemed,
    loseResponses: () => service.control.fail(lost),
  };
}

/** The newest event of a type in a project. */
export async function newestOf(service: Service, scope: ProjectScope, type: ProcessorEventType): Promise<Envelope> {
  const found = (await service.account.events(scope, type)).at(-1);
  if (!found) throw new Error(`There is no ${type}.`);
  return found;
}
