import type { Stripe } from 'stripe';
import { newId } from '../domain/ids.ts';
import { previousAttributes } from '../domain/previous-attributes.ts';
import type { EventType, StoredEvent } from '../objects/stored.ts';
import type { TableName, Tables } from '../objects/tables.ts';
import type { Account } from '../store/account.ts';
import { cutNestedLists } from './nested-lists.ts';

/** The fields of an object that a request changes; those that it does not name are undefined. */
export type Changes<Row> = { [Name in keyof Row]?: Row[Name] | undefined };

/** Returns the fields that are not undefined. */
export function defined<Row extends object>(changes: Changes<Row>): Partial<Row> {
  // Only values that may not be there are left out.
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<Row>;
}

/** The events about changes, by the table of the object. Other objects have none. */
const UPDATED: Partial<Record<TableName, EventType>> = {
  customer: 'customer.updated',
  tax_id: 'customer.tax_id.updated',
  product: 'product.updated',
  price: 'price.updated',
  subscription: 'customer.subscription.updated',
  subscription_schedule: 'subscription_schedule.updated',
  invoice: 'invoice.updated',
  coupon: 'coupon.updated',
  promotion_code: 'promotion_code.updated',
  charge: 'charge.updated',
  refund: 'refund.updated',
};

/** The API request that caused a unit of work; null fields when there was none. */
export interface Origin {
  requestId: string | null;
  idempotencyKey: string | null;
}

/** The origin of changes by the clock, the hosted pages and the control API. */
export const BACKGROUND: Origin = { requestId: null, idempotencyKey: null };

/**
 * One unit of work in one account: the changes of one request or of the clock, and the events that they emit. It is
 * synchronous, so no other request sees partial changes. Times are Unix seconds of the account's clock.
 */
export class UnitOfWork {
  readonly account: Account;
  readonly origin: Origin;
  readonly publicUrl: string;
  now: number;
  readonly events: StoredEvent[] = [];

  constructor(account: Account, origin: Origin, publicUrl: string, now = account.now()) {
    this.account = account;
    this.origin = origin;
    this.publicUrl = publicUrl;
    this.now = now;
  }

  get tables(): Account['tables'] {
    return this.account.tables;
  }

  get livemode(): boolean {
    return this.account.livemode;
  }

  /** Adds a new object of the API, records it in the ledger, and emits the event if one is given. Returns the object. */
  create<Name extends TableName, Row extends Tables[Name]>(name: Name, row: Row, event?: EventType): Row {
    this.tables[name].put(row);
    this.tables.ledger.put({
      id: row.id,
      object: name,
      idempotencyKey: this.origin.idempotencyKey,
      requestId: this.origin.requestId,
      created: this.now,
    });
    if (event) this.emit(event, row);
    return row;
  }

  /**
   * Replaces an object with a changed copy, and emits the event that its type has for changes, or another one, if anything
   * differs; undefined changes nothing. Returns the copy.
   */
  update<Name extends TableName, Row extends Tables[Name]>(
    name: Name,
    row: Row,
    changes: Changes<Row>,
    event: EventType | undefined = UPDATED[name],
  ): Row {
    const changed = this.store(name, row, changes);
    const previous = previousAttributes(row, changed);
    if (event && previous) this.emit(event, changed, previous);
    return changed;
  }

  /** Replaces an object with a changed copy without an event; undefined changes nothing. Returns the copy. */
  store<Name extends TableName, Row extends Tables[Name]>(name: Name, row: Row, changes: Changes<Row>): Row {
    const changed = { ...row, ...defined(changes) };
    if (!previousAttributes(row, changed)) return row;
    this.tables[name].put(changed);
    return changed;
  }

  /** Replaces an object with a changed copy, and emits an event that tells no values before. Returns the copy. */
  change<Name extends TableName, Row extends Tables[Name]>(
    name: Name,
    row: Row,
    changes: Changes<Row>,
    event: EventType,
  ): Row {
    const changed = this.store(name, row, changes);
    this.emit(event, changed);
    return changed;
  }

  /**
   * Records an event with a snapshot of the object. It is sent when the unit of work is committed. Nothing is recorded while
   * the account's clock is behind the real time.
   */
  emit(type: EventType, object: object, previous?: Stripe.Event.Data.PreviousAttributes): void {
    if (this.account.state.clockOffset < 0) return;
    const event: StoredEvent = {
      id: newId('evt_1'),
      type,
      created: this.now,
      object: JSON.stringify(cutNestedLists(object)),
      previous: previous ? JSON.stringify(previous) : null,
      request: { id: this.origin.requestId, idempotency_key: this.origin.idempotencyKey },
    };
    this.tables.event.put(event);
    this.events.push(event);
  }
}
