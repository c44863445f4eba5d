import { z } from 'zod';
import { customerState } from '../events/customers.ts';
import { priceState, productState } from '../events/catalog.ts';
import { couponState, promotionCodeState } from '../events/discounts.ts';
import { featureState } from '../events/features.ts';
import { CustomerId, PriceId, ProductId, ProjectId, PromotionCodeId, TeamId } from '../ids.ts';
import { SERVICES } from '../operation.ts';
import { syncType } from '../resources/sync.ts';
import { portalBillingDetails, portalBillingDetailsUpdate } from '../resources/billing-details.ts';
import { REDEMPTION_REFUSALS } from '../resources/promotion-code.ts';
import { defineRpc } from '../rpc.ts';
import { auditContext } from '../resources/audit-entry.ts';
import { featureKey } from '../resources/feature.ts';
import { project } from '../resources/team.ts';

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
 * those that a deleted record of it had; with `again` once more what it has by now. Repeats change nothing. `isComplete` is
 * false when the rest follows.
 */
export const TakeInBilling = defineRpc(
  'subscriptions',
  'take-in-billing',
  z.object({ teamId: TeamId.schema, customer: customerState, again: z.boolean().optional() }),
  z.object({ isComplete: z.boolean() }),
);

/** Whether the customer has or ever had a subscription, also from before it was linked. */
export const HasSubscribed = defineRpc(
  'subscriptions',
  'has-subscribed',
  z.object({ ...scope, customerId: CustomerId.schema }),
  z.object({ subscribed: z.boolean() }),
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
