import { CustomerId, PriceMigrationId, SubscriptionId } from '@billing/contracts/ids';
import { PAYMENT_BEHAVIORS, planChange, planChangeItem, PRORATIONS } from '@billing/contracts/resources/plan-change';
import { z } from 'zod';

const discount = z.union([
  z.object({ discountId: z.string() }),
  z.object({ couponId: z.string() }),
  z.object({ promotionCodeId: z.string() }),
]);
const item = z.object({
  id: z.string().exactOptional(),
  priceId: z.string().exactOptional(),
  quantity: z.int().exactOptional(),
});

/** A change in the words of the port. */
const portChange = z.object({
  items: z.array(item).readonly().exactOptional(),
  removedItemIds: z.array(z.string()).readonly().exactOptional(),
  proration: z.enum(PRORATIONS),
  prorationDate: z.coerce.date().exactOptional(),
  resetsAnchor: z.boolean().exactOptional(),
  endsTrial: z.boolean().exactOptional(),
  discounts: z.array(discount).readonly().exactOptional(),
});

/** A change as it is sent, however often. */
const plannedChange = z.object({
  when: z.enum(['now', 'period_end']),
  effectiveAt: z.coerce.date(),
  /** All that the subscription will bill. */
  items: z.array(planChangeItem).readonly(),
  /** The same as a phase of a schedule names them: usage has no quantity. */
  phaseItems: z.array(z.object({ priceId: z.string(), quantity: z.int().nullable() })).readonly(),
  change: portChange,
  paymentBehavior: z.enum([...PAYMENT_BEHAVIORS, 'allow_incomplete']),
  /** Whether the change is named in the metadata, by which it is found again. */
  isMarked: z.boolean(),
  /** Before the change: another one afterwards is that of the change. */
  latestInvoiceId: z.string().nullable(),
  /** Whether another change waits for that invoice: it is voided first. */
  replacesPending: z.boolean(),
});
export type PlannedChange = z.output<typeof plannedChange>;

/** What the operation log stores of a change of plan. */
export const planChangeInput = z.object({
  subscriptionId: SubscriptionId.schema,
  processorSubscriptionId: z.string(),
  /** Who makes it in the portal; absent when the team does. */
  customerId: CustomerId.schema.exactOptional(),
  /** A customer may keep a quantity that was set at the processor, where there are others than in requests. */
  wanted: planChange.safeExtend({ quantity: z.int().optional() }),
  /** Null until it is prepared. */
  plan: plannedChange.nullable(),
  /** The migration that makes it, and the processor's price that it leaves; absent when a request makes it. */
  migration: z.object({ migrationId: PriceMigrationId.schema, fromProcessorPriceId: z.string() }).exactOptional(),
});
export type PlanChangeInput = z.output<typeof planChangeInput>;
