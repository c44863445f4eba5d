import { z } from 'zod';
import { customerState } from '../events/customers.ts';
import { priceState, productState } from '../events/catalog.ts';
import { couponState, promotionCodeState } from '../events/discounts.ts';
import { featureState } from '../events/features.ts';
import { subscriptionState } from '../events/subscriptions.ts';
import { CustomerId, PriceId, ProductId, ProjectId, PromotionCodeId, SubscriptionId, TeamId } from '../ids.ts';
import { SERVICES } from '../operation.ts';
import { syncType } from '../resources/sync.ts';
import { portalBillingDetails, portalBillingDetailsUpdate } from '../resources/billing-details.ts';
import { cancellation, SAVE_OFFER_OUTCOMES } from '../resources/cancellation.ts';
import { REDEMPTION_REFUSALS } from '../resources/promotion-code.ts';
import { defineRpc } from '../rpc.ts';
import { auditContext } from '../resources/audit-entry.ts';
import { featureKey } from '../resources/feature.ts';
import { invoiceState } from '../resources/invoice.ts';
import { BILLING_CYCLES, CHANGE_TIMES, madeChange, planChangePreview, PRORATIONS } from '../resources/plan-change.ts';
import { resumePreview } from '../resources/subscription-pause.ts';
import { project } from '../resources/team.ts';
import { timestamp } from '../timestamp.ts';

const scope = { teamId: TeamId.schema, projectId: ProjectId.schema };

/**
 * Reports to webhooks an object that the processor does not have. Webhooks reads it once more, and publishes the end of the object
 * where a record is left, as its lost event would have.
 */
export const ReportMissingObject = defineRpc(
  'webhooks',
  'report-missing-object',
  z.object({ teamId: TeamId.schema, type: syncType, processorId: z.string() }),
  z.object({}),
);

/** A project of the team, or null when the team has no such project. */
export const FindProject = defineRpc('gateway', 'find-project', z.object(scope), project.nullable());

/** The name of a team, or null when there is no such team. */
export const FindTeamName = defineRpc(
  'gateway',
  'find-team-name',
  z.object({ teamId: TeamId.schema }),
  z.object({ name: z.string() }).nullable(),
);

/** A customer of the project, or null; a deleted one is null too. */
export const FindCustomer = defineRpc(
  'customers',
  'find-customer',
  z.object({ ...scope, customerId: CustomerId.schema }),
  // The language of its billing details.
  customerState.extend({ locale: z.string().nullish() }).nullable(),
);

/** The customer of the project with the tenant's own id, or null; a deleted one is null too. */
export const FindCustomerByExternalId = defineRpc(
  'customers',
  'find-customer-by-external-id',
  z.object({ ...scope, externalId: z.string() }),
  customerState.nullable(),
);

/** Every project of the team that holds the processor's customer. */
export const FindCustomersByProcessorId = defineRpc(
  'customers',
  'find-customers-by-processor-id',
  z.object({ teamId: TeamId.schema, processorCustomerId: z.string() }),
  z.array(customerState),
);

/** The customers of the project, newest first and 1,000 at most, whom a search of their list finds. */
export const SearchCustomers = defineRpc(
  'customers',
  'search-customers',
  z.object({ ...scope, search: z.string() }),
  z.array(CustomerId.schema),
);

const billingOfCustomer = { ...scope, customerId: CustomerId.schema };

/** The billing details of a customer, as the customer sees them. A deleted one is not found. */
export const FindBillingDetails = defineRpc(
  'customers',
  'find-billing-details',
  z.object(billingOfCustomer),
  portalBillingDetails,
);

/** Changes billing details as the customer. A deleted one is not found. */
export const UpdateBillingDetails = defineRpc(
  'customers',
  'update-billing-details',
  z.object({ ...billingOfCustomer, wanted: portalBillingDetailsUpdate, audit: auditContext }),
  portalBillingDetails,
);

const pricedProduct = z.object({ price: priceState, product: productState });

/** The prices of the project with these ids and their products; those that it does not have are left out. */
export const FindPrices = defineRpc(
  'catalog',
  'find-prices',
  z.object({ ...scope, priceIds: z.array(PriceId.schema) }),
  z.array(pricedProduct),
);

/** The newest active price of the project with each of these keys; keys that none has are left out. */
export const FindPricesByKey = defineRpc(
  'catalog',
  'find-prices-by-key',
  z.object({ ...scope, keys: z.array(z.string()) }),
  z.array(pricedProduct),
);

/** The products of the project with these ids; those that it does not have are left out. */
export const FindProducts = defineRpc(
  'catalog',
  'find-products',
  z.object({ ...scope, productIds: z.array(ProductId.schema) }),
  z.array(productState),
);

/** A feature of the project, or null. */
export const FindFeature = defineRpc(
  'catalog',
  'find-feature',
  z.object({ ...scope, key: featureKey }),
  featureState.nullable(),
);

/** A price by the processor's id, or null. Includes deleted prices, because live subscriptions may still use them. */
export const FindPriceByProcessorId = defineRpc(
  'catalog',
  'find-price-by-processor-id',
  z.object({ ...scope, processorPriceId: z.string() }),
  pricedProduct.nullable(),
);

/**
 * A promotion code of the project by its text in any case or by our id, with its coupon, whose amount is that of the
 * purchase's currency, and why the customer cannot redeem it
 * for a purchase, as the processor has both at this moment; null where the project has no such code. Whether it is a first
 * payment of at least the minimum amount, only the processor knows.
 */
export const FindPromotionCode = defineRpc(
  'catalog',
  'find-promotion-code',
  z.object({
    ...scope,
    promotionCode: z.string(),
    processorCustomerId: z.string(),
    currency: z.string(),
    productIds: z.array(ProductId.schema),
  }),
  z
    .object({
      promotionCode: promotionCodeState,
      coupon: couponState,
      refusal: z.enum(REDEMPTION_REFUSALS).nullable(),
    })
    .nullable(),
);

/** A promotion code of the project with its coupon, as they are stored here, or null. */
export const FindStoredPromotionCode = defineRpc(
  'catalog',
  'find-stored-promotion-code',
  z.object({ ...scope, promotionCodeId: PromotionCodeId.schema }),
  z.object({ promotionCode: promotionCodeState, coupon: couponState }).nullable(),
);

/**
 * Records the subscriptions and invoices that the processor had of a customer before it was linked, and gives the customer
 * those that a deleted record of it had. Repeats change nothing. `isComplete` is false when the rest follows.
 */
export const TakeInBilling = defineRpc(
  'subscriptions',
  'take-in-billing',
  z.object({ teamId: TeamId.schema, customer: customerState }),
  z.object({ isComplete: z.boolean() }),
);

/** Whether the customer has or ever had a subscription, also from before it was linked. */
export const HasSubscribed = defineRpc(
  'subscriptions',
  'has-subscribed',
  z.object({ ...scope, customerId: CustomerId.schema }),
  z.object({ subscribed: z.boolean() }),
);

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

/**
 * A team's processor credentials, sealed so that only `service` can open them; null when the team is not connected. They are of
 * `minVersion` or newer: a connect that is to bring that version is waited for.
 */
export const FindProcessorCredentials = defineRpc(
  'webhooks',
  'find-processor-credentials',
  z.object({ teamId: TeamId.schema, service: z.enum(SERVICES), minVersion: z.int().optional() }),
  z
    .object({
      version: z.int(),
      livemode: z.boolean(),
      sealedSecretKey: z.string(),
      // Absent in responses of older versions.
      publishableKey: z.string().nullish(),
    })
    .nullable(),
);

/**
 * A part of the object of a webhook event that was too large for the bus: `{ object, previousAttributes }` as gzipped JSON,
 * base64-encoded and divided into `parts`, since a reply must fit into a message. Null when the payload was deleted.
 */
export const FindWebhookEventObject = defineRpc(
  'webhooks',
  'find-webhook-event-object',
  z.object({ teamId: TeamId.schema, eventId: z.string(), part: z.int().min(0) }),
  z.object({ text: z.string(), parts: z.int() }).nullable(),
);
