import { exampleOf } from '@billing/contracts/example';
import { EVENT_OBJECT_TYPES, type EventObjectType, type PublicEventType } from '@billing/contracts/event-types';
import { customer } from '@billing/contracts/resources/customer';
import { invoice } from '@billing/contracts/resources/invoice';
import { payment } from '@billing/contracts/resources/payment';
import { price } from '@billing/contracts/resources/price';
import { product } from '@billing/contracts/resources/product';
import { referral, referralCode, referralCredit } from '@billing/contracts/resources/referral';
import { subscription } from '@billing/contracts/resources/subscription';
import { webhookEndpoint } from '@billing/contracts/resources/webhook-endpoint';
import type { z } from 'zod';

const RESOURCES: Readonly<Record<EventObjectType, z.ZodType>> = {
  customer,
  product,
  price,
  subscription,
  invoice,
  payment,
  referral,
  referral_code: referralCode,
  referral_credit: referralCredit,
  webhook_endpoint: webhookEndpoint,
};

/** Returns what a test event of a type is about, as the examples of the API reference have it. */
export function exampleData(type: PublicEventType | 'ping') {
  const objectType = EVENT_OBJECT_TYPES.find(one => type.startsWith(`${one}.`)) ?? 'webhook_endpoint';
  const data = exampleOf(RESOURCES[objectType]) as Readonly<Record<string, unknown>>; // each is an object
  const id = String(data[objectType === 'referral_code' ? 'code' : 'id']);
  return { object: { type: objectType, id, sequence: 1 }, data, previousAttributes: null };
}
