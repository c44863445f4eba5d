import type * as wire from './wire.ts';

/** What the `data` of an event are, by what it is about. */
interface EventData {
  readonly customer: wire.Customer;
  readonly product: wire.Product;
  readonly price: wire.Price;
  readonly subscription: wire.Subscription;
  readonly invoice: wire.EventInvoice;
  readonly payment: wire.Payment;
  readonly referral: wire.Referral;
  readonly referral_code: wire.ReferralCode;
  readonly referral_credit: wire.EventCredit;
  readonly webhook_endpoint: wire.WebhookEndpoint;
  readonly customer_state: wire.EventState;
  readonly customer_billing_details: wire.BillingDetails;
  readonly usage: wire.Usage;
}

/** What an event is about. */
export type EventObjectType = keyof wire.EventTypes;
/** The type of an event, for example `invoice.paid`. */
export type EventType = wire.EventTypes[EventObjectType];

/** The content of an event. */
type Content<Data> =
  | {
      /** The object as its GET returned it then; a deleted one as it was at last. */
      readonly data: Data;
      /** What the fields that changed were before, an absent one as null; null on the first event of an object. */
      readonly previousAttributes: { readonly [Field in keyof Data]?: Data[Field] | null } | null;
      readonly truncated?: undefined;
    }
  | {
      readonly data?: undefined;
      readonly previousAttributes?: undefined;
      /** The event is longer than 64 KiB; get the object instead. */
      readonly truncated: true;
    };

/** An event about one kind of object. */
type EventAbout<ObjectType extends EventObjectType> = wire.EventHead & {
  /** What happened. */
  readonly type: wire.EventTypes[ObjectType];
  readonly object: {
    readonly type: ObjectType;
    /** Of a referral code the code. */
    readonly id: string;
    /** Counts the events of the object from 1. */
    readonly sequence: number;
  };
} & Content<EventData[ObjectType]>;

/** A change in the project. `type` says what `data` is. */
export type BillingEvent = { [ObjectType in EventObjectType]: EventAbout<ObjectType> }[EventObjectType];

/** What an endpoint gets when it is tested. */
export type PingEvent = Omit<EventAbout<'webhook_endpoint'>, 'type' | 'test'> & {
  readonly type: 'ping';
  readonly test: true;
};

/** An event as an endpoint gets it. */
export type ReceivedEvent = BillingEvent | PingEvent;
