import type { z } from 'zod';
import type { operations } from '../operations/index.ts';
import { exampleIds } from './examples.ts';

type Declared = (typeof operations)[keyof typeof operations];
/** An object without fields is typed as one with any. */
type NamesIn<Schema> = Schema extends z.ZodType
  ? string extends keyof z.input<Schema>
    ? never
    : keyof z.input<Schema> & string
  : never;
type PathParameter = Declared extends infer One
  ? One extends { params: infer Params }
    ? NamesIn<Params>
    : never
  : never;
type QueryParameter = Declared extends infer One
  ? One extends { query: infer Query }
    ? NamesIn<Query>
    : never
  : never;

interface ParameterNote {
  readonly description: string;
  readonly example: string;
}

/** What stands in paths. To declare an operation with another parameter without a note here does not compile. */
export const PATH_PARAMETERS: Readonly<Record<PathParameter, ParameterNote>> = {
  teamId: { description: 'The team.', example: exampleIds.team },
  projectId: { description: 'The project, one of the team’s.', example: exampleIds.project },
  userId: { description: 'The user who is a member.', example: exampleIds.user },
  keyId: { description: 'The API key: its id, not its secret.', example: exampleIds.apiKey },
  productId: { description: 'The product.', example: exampleIds.product },
  priceId: { description: 'The price.', example: exampleIds.price },
  customerId: { description: 'The customer.', example: exampleIds.customer },
  subscriptionId: { description: 'The subscription.', example: exampleIds.subscription },
  code: {
    description: 'The referral code: 8 letters and digits, upper and lower case apart.',
    example: exampleIds.referralCode,
  },
  eventId: { description: 'The payment processor’s id of the event.', example: exampleIds.webhookEvent },
  sessionId: { description: 'The portal session: its id, not its token.', example: exampleIds.portalSession },
  token: {
    description: 'The token of a portal session; it is all the authentication there is, so keep it as a secret.',
    example: exampleIds.portalToken,
  },
};

/** What stands in queries; `tab` is the portal page's. */
export const QUERY_PARAMETERS: Readonly<Record<QueryParameter | 'tab', string>> = {
  tab: 'What to show first.',
  limit: 'How many to answer; one above 100 counts as 100.',
  offset: 'How many to pass over, newest first.',
  activeOnly: 'Whether to leave out what is not active.',
  growthDays: 'How many days back churn and growth look.',
  days: 'How many UTC days, today included.',
  productId: 'Only prices of this product.',
  customerId: 'Only those of this customer.',
  subscriptionId: 'Only those of this subscription.',
  status: 'Only those with this status.',
  type: 'Only events of this type, for example `invoice.paid`.',
};
