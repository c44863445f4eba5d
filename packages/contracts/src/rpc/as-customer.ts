import { z } from 'zod';
import { couponState } from '../events/discounts.ts';
import { subscriptionState } from '../events/subscriptions.ts';
import { CustomerId, PriceId, ProjectId, PromotionCodeId, SubscriptionId, TeamId } from '../ids.ts';
import { auditContext } from '../resources/audit-entry.ts';
import { cancellation, SAVE_OFFER_OUTCOMES } from '../resources/cancellation.ts';
import { invoiceState } from '../resources/invoice.ts';
import { BILLING_CYCLES, CHANGE_TIMES, madeChange, planChangePreview, PRORATIONS } from '../resources/plan-change.ts';
import { resumePreview } from '../resources/subscription-pause.ts';
import { defineRpc } from '../rpc.ts';
import { timestamp } from '../timestamp.ts';

/*
 * What the portal shows and does of subscriptions, as the customer.
 */

const scope = { teamId: TeamId.schema, projectId: ProjectId.schema };

/** A subscription with what its customer sees besides. */
export const billedSubscription = subscriptionState.extend({
  productName: z.string().nullable(),
  /** Whether a schedule manages it that this service did not make: nothing of it can be changed here. */
  hasForeignSchedule: z.boolean(),
  /** Whether a price migration has scheduled its change: its customer does not take that back. */
  isMigrating: z.boolean(),
  /** What became of the one save offer; null while none was made. */
  saveOffer: z.enum(SAVE_OFFER_OUTCOMES).nullable(),
  /** Where the newest of its invoices is paid that are open; null when none is. */
  openInvoiceUrl: z.string().nullable().default(null),
  /** What time it is for its customer: that of the test clock, else absent. */
  clockNow: timestamp.nullable().default(null),
});
export type BilledSubscription = z.output<typeof billedSubscription>;

/** What a customer's portal shows: every subscription that has not ended, and a page of invoices without drafts, newest first. */
export const DescribeCustomerBilling = defineRpc(
  'subscriptions',
  'describe-customer-billing',
  z.object({ ...scope, customerId: CustomerId.schema, invoiceLimit: z.int(), invoiceOffset: z.int() }),
  z.object({
    subscriptions: z.array(billedSubscription),
    /** Of what they bill and will bill, by our ids of the prices; deleted ones too. */
    productNames: z.record(z.string(), z.string()),
    invoices: z.array(invoiceState),
    invoiceTotal: z.int(),
  }),
);

/** Cancels at the end of the period, or resumes, as the customer. Another customer's subscription is not found. */
export const ScheduleCancellation = defineRpc(
  'subscriptions',
  'schedule-cancellation',
  z.object({
    ...scope,
    customerId: CustomerId.schema,
    subscriptionId: SubscriptionId.schema,
    cancelAtPeriodEnd: z.boolean(),
    /** What the customer says who cancels. */
    cancellation: cancellation.nullable(),
    /** Whether the customer cancels although a save offer was shown. */
    declinesOffer: z.boolean().optional(),
    audit: auditContext,
  }),
  subscriptionState,
);

const subscriptionOfCustomer = { ...scope, customerId: CustomerId.schema, subscriptionId: SubscriptionId.schema };

const saveOffer = { ...subscriptionOfCustomer, promotionCodeId: PromotionCodeId.schema };

/**
 * The coupon of a promotion code that a customer who is about to cancel can be offered for the subscription; null when an
 * offer was made before, or the code cannot be redeemed for it.
 */
export const FindSaveOffer = defineRpc(
  'subscriptions',
  'find-save-offer',
  z.object(saveOffer),
  couponState
    .pick({ percentOff: true, amountOff: true, currency: true, duration: true, durationInMonths: true })
    .nullable(),
);

/** Adds the promotion code to the discounts of the subscription, once, as the customer. */
export const AcceptSaveOffer = defineRpc(
  'subscriptions',
  'accept-save-offer',
  z.object({ ...saveOffer, audit: auditContext }),
  subscriptionState,
);

/** What a customer chose, and how the project has changes made. */
const chosenPlan = z.object({
  priceId: PriceId.schema.optional(),
  quantity: z.int().optional(),
  when: z.enum(CHANGE_TIMES),
  proration: z.enum(PRORATIONS).optional(),
  prorationDate: timestamp.optional(),
  expectedAmountDue: z.int().optional(),
});
export type ChosenPlan = z.output<typeof chosenPlan>;

/** Previews a change of plan as the customer. Another customer's subscription is not found. */
export const PreviewCustomerPlan = defineRpc(
  'subscriptions',
  'preview-customer-plan',
  z.object({ ...subscriptionOfCustomer, plan: chosenPlan }),
  planChangePreview,
);

/** Changes the plan as the customer. The same operation key is the same change. Another customer's subscription is not found. */
export const ChangeCustomerPlan = defineRpc(
  'subscriptions',
  'change-customer-plan',
  z.object({
    ...subscriptionOfCustomer,
    plan: chosenPlan,
    operationKey: z.string().optional(),
    audit: auditContext,
  }),
  z.object({ change: madeChange, subscription: subscriptionState }),
);

/** Takes back a change that is pending or scheduled, as the customer. Another customer's subscription is not found. */
export const DropCustomerPlan = defineRpc(
  'subscriptions',
  'drop-customer-plan',
  z.object({ ...subscriptionOfCustomer, audit: auditContext }),
  subscriptionState,
);

/** Pauses the payments as the customer; their invoices are voided. The same operation key is the same pause. */
export const PauseCustomerSubscription = defineRpc(
  'subscriptions',
  'pause-customer-subscription',
  z.object({
    ...subscriptionOfCustomer,
    resumesAt: timestamp.nullable(),
    operationKey: z.string().optional(),
    audit: auditContext,
  }),
  subscriptionState,
);

/** Previews what resuming charges, as the customer. */
export const PreviewCustomerResume = defineRpc(
  'subscriptions',
  'preview-customer-resume',
  z.object({ ...subscriptionOfCustomer, billingCycle: z.enum(BILLING_CYCLES) }),
  resumePreview,
);

/** Resumes as the customer, for no more than expected. The same operation key is the same resumption. */
export const ResumeCustomerSubscription = defineRpc(
  'subscriptions',
  'resume-customer-subscription',
  z.object({
    ...subscriptionOfCustomer,
    billingCycle: z.enum(BILLING_CYCLES),
    expectedAmountDue: z.int(),
    operationKey: z.string().optional(),
    audit: auditContext,
  }),
  subscriptionState,
);
