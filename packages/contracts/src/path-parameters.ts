import { z } from 'zod';
import * as ids from './ids.ts';
import { featureKey } from './resources/feature.ts';
import { deadLetterId } from './resources/dead-letter.ts';
import { EXAMPLE_PORTAL_TOKEN } from './resources/portal-session.ts';
import { invoiceItemId } from './resources/invoice-create.ts';
import { creditId, referralCodeText } from './resources/referral.ts';
import { invitationToken } from './resources/team.ts';
import { processorEventId } from './resources/webhook-event.ts';
import { optionalText } from './text.ts';

/** What each parameter of a path is, by its name. */
const PATH_PARAMETERS = {
  teamId: ids.TeamId.schema.describe('The team.'),
  projectId: ids.ProjectId.schema.describe('The project; it belongs to the team.'),
  invitationId: ids.InvitationId.schema.describe('The invitation: its id, not its token.'),
  invitationToken,
  userId: optionalText(128).min(1).meta({ description: 'The id of the member.', example: ids.EXAMPLE_USER_ID }),
  keyId: ids.ApiKeyId.schema.describe('The API key: its id, not its secret.'),
  productId: ids.ProductId.schema.describe('The product.'),
  priceId: ids.PriceId.schema.describe('The price.'),
  couponId: ids.CouponId.schema.describe('The coupon.'),
  promotionCodeId: ids.PromotionCodeId.schema.describe('The promotion code.'),
  featureKey: featureKey.describe('The key of the feature.'),
  customerId: ids.CustomerId.schema.describe('The customer.'),
  externalId: optionalText(255).min(1).meta({
    description:
      'Your own id of the customer. One that contains `/`, `\\`, `;`, `%`, `#` or `?` can’t stand in a path: use our id.',
    example: 'user-815',
  }),
  subscriptionId: ids.SubscriptionId.schema.describe('The subscription.'),
  invoiceId: ids.InvoiceId.schema.describe('The invoice.'),
  itemId: invoiceItemId,
  paymentId: ids.PaymentId.schema.describe('The payment.'),
  priceMigrationId: ids.PriceMigrationId.schema.describe('The price migration.'),
  testClockId: ids.TestClockId.schema.describe('The test clock.'),
  syncId: ids.SyncId.schema.describe('The sync.'),
  code: referralCodeText,
  creditId: creditId.describe('The credit.'),
  eventId: processorEventId,
  publicEventId: ids.EventId.schema.describe('The event.'),
  webhookEndpointId: ids.WebhookEndpointId.schema.describe('The endpoint.'),
  webhookDeliveryId: ids.WebhookDeliveryId.schema.describe('The delivery.'),
  deadLetterId: deadLetterId.describe('The dead letter.'),
  sessionId: ids.PortalSessionId.schema.describe('The portal session: its id, not its token.'),
  /** Any text: a malformed token gets the same response as an expired one. */
  token: z.string().max(256).meta({
    description: 'The token of a portal session. It is the only authentication, so treat it as a secret.',
    example: EXAMPLE_PORTAL_TOKEN,
  }),
};

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of a path with `:name` for each. */
export type PathParams<Path extends string> = z.ZodObject<
  Pick<typeof PATH_PARAMETERS, NamesIn<Path> & keyof typeof PATH_PARAMETERS>
>;

/**
 * Returns the schema of a path's parameters.
 * @throws Error when a parameter is not declared
 */
export function pathParams<const Path extends string>(path: Path): PathParams<Path> {
  const declared: Readonly<Record<string, z.ZodType>> = PATH_PARAMETERS;
  const shape = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema = declared[name];
    if (!schema) throw new Error(`The path parameter ${name} of ${path} is not declared.`);
    return [name, schema] as const;
  });
  return z.object(Object.fromEntries(shape)) as unknown as PathParams<Path>; // its names are those in the path
}
