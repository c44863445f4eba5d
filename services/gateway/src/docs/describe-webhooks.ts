import { EVENT_TYPES, objectTypeOf, type PublicEventType } from '@billing/contracts/event-types';
import { EVENT_DATA, eventExample } from '@billing/contracts/resources/event-data';
import { event } from '@billing/contracts/resources/event';
import { z } from 'zod';
import { createSchema, type ZodOpenApiPathsObject } from 'zod-openapi';
import { showWireFormat } from './wire-format.ts';

type SchemaOrReference = ReturnType<typeof createSchema>['schema'];

const HEADERS = [
  ['webhook-id', 'Id', 'The id of the event, the same at each attempt: what came before can be left out.', 'ev_…'],
  ['webhook-timestamp', 'Timestamp', 'When this attempt was made, in Unix seconds.', '1772443872'],
  [
    'webhook-signature',
    'Signature',
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, with the bytes that the text after `whsec_` of the secret encodes; one for each valid secret, with spaces between them.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
] as const;

const parameters = HEADERS.map(([name, id, description, example]) =>
  z.string().meta({ param: { id: `Webhook${id}`, name, in: 'header', description, example } }),
);

/** What types of events say, where that does not follow from their names. */
const MEANINGS: Readonly<Partial<Record<PublicEventType | 'ping', string>>> = {
  'customer.deleted': 'A customer was deleted; the event has no personal data of it.',
  'customer.state_changed':
    'What a customer may use, or how far the customer has paid, changed; also because time has passed.',
  'customer.billing_details_updated': 'The billing details of a customer changed.',
  'subscription.trial_ending': 'The trial of a subscription ends soon.',
  'invoice.finalized': 'An invoice can be paid.',
  'invoice.uncollectible': 'An invoice was given up as a bad debt.',
  'payment.succeeded': 'A payment succeeded.',
  'payment.failed': 'An attempt to pay failed.',
  'payment.refunded': 'A payment was refunded, in whole or in part.',
  'payment.disputed': 'The bank took the money of a payment back; the dispute is open.',
  'payment.dispute_won': 'The dispute of a payment was won.',
  'payment.dispute_lost': 'The dispute of a payment was lost.',
  'payment.updated': 'A payment changed otherwise: it is authorized, its charge becomes known, or a refund fails.',
  'referral.converted': 'A referred customer subscribed.',
  'referral_credit.credited': 'A credit is on the balance of the customer.',
  'referral_credit.failed': 'A credit could not be made.',
  'usage.rejected': 'The payment processor refused usage, or it cannot be known any more whether it took it.',
  'webhook_endpoint.disabled': 'An endpoint gets no more events, because it fails or is gone.',
  ping: 'Nothing happened: an endpoint is tested.',
};

/** Every type of event, and what it says. */
export const WEBHOOKS = [...EVENT_TYPES, 'ping' as const].map(type => ({
  type,
  meaning: MEANINGS[type] ?? inWords(type),
}));

/** `invoice.paid` is an invoice that was paid. */
function inWords(type: string): string {
  const [object = '', change = ''] = type.replaceAll('_', ' ').split('.');
  return `${/^[aeiou]/.test(object) ? 'An' : 'A'} ${object} was ${change}.`;
}

/** Describes what is posted to an endpoint, for each type of event, with its data and an example. */
export function describeWebhooks(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    WEBHOOKS.map(({ type, meaning }) => [
      type,
      {
        post: {
          operationId: type.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
          tags: ['Events'],
          summary: meaning,
          description:
            'Posted to your endpoints. Any 2xx is a success; 410 disables the endpoint; all else is tried again.',
          // Its signature is in its headers.
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(type), example: eventExample(type) } },
          },
          responses: { '2XX': { description: 'The event has arrived.' } },
        },
      },
    ]),
  );
}

/** What every event has, and what those of a type have. A ping is no recorded event, so its schema stands alone. */
function schemaOf(type: PublicEventType | 'ping'): SchemaOrReference {
  if (type === 'ping') {
    const ping = event.extend({ type: z.literal(type), data: EVENT_DATA.webhook_endpoint, test: z.literal(true) });
    return withReferences(ping);
  }
  const objectType = objectTypeOf(type);
  return {
    allOf: [
      { $ref: '#/components/schemas/Event' },
      {
        type: 'object',
        properties: {
          type: { type: 'string', const: type },
          object: { type: 'object', properties: { type: { type: 'string', const: objectType } } },
          data: withReferences(EVENT_DATA[objectType]),
        },
      },
    ],
  };
}

const withReferences = (schema: z.ZodType): SchemaOrReference =>
  createSchema(schema, { io: 'output', opts: { override: showWireFormat } }).schema;
