import type { Stripe } from 'stripe';
import { newId } from '../domain/ids.ts';
import { previousAttributes } from '../domain/previous-attributes.ts';
import type { EventType, StoredEvent, TableName, Tables } from '../objects/stored.ts';
import type { Account } from '../store/account.ts';

/** What has caused a unit of work: an API request, or nothing but time. */
export interface Origin {
  requestId: string | null;
  idempotencyKey: string | null;
}

/** Caused by time, by the hosted pages or by the control API. */
export const UNASKED: Origin = { requestId: null, idempotencyKey: null };

/**
 * One unit of work in one account: everything a request (or the passing of time) changes, and the events that tell of
 * it. Work is synchronous, so no other request sees half of it. Times are Unix seconds of the account's clock.
 */
export class Unit {
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

  /** Adds a new object of the API and notes it in the ledger. Returns it. */
  create<Name extends TableName>(name: Name, row: Tables[Name]): Tables[Name] {
    this.tables[name].put(row);
    this.tables.ledger.put({
      id: row.id,
      object: name,
      idempotencyKey: this.origin.idempotencyKey,
      requestId: this.origin.requestId,
      created: this.now,
    });
    return row;
  }

  /** Replaces an object by a changed copy; with `event`, and if anything differs, tells of it. Returns the copy. */
  update<Name extends TableName, Row extends Tables[Name]>(
    name: Name,
    row: Row,
    changes: Partial<Row>,
    event?: EventType,
  ): Row {
    const changed = { ...row, ...changes };
    const previous = previousAttributes(row, changed);
    if (!previous) return row;
    this.tables[name].put(changed);
    if (event) this.emit(event, changed, previous);
    return changed;
  }

  /** Records an event with a snapshot of the object as it is now. It is sent when the unit is committed. */
  emit(type: EventType, object: object, previous?: Stripe.Event.Data.PreviousAttributes): void {
    const event: StoredEvent = {
      id: newId('evt_1'),
      type,
      created: this.now,
      object: JSON.stringify(object),
      previous: previous ? JSON.stringify(previous) : null,
      request: { id: this.origin.requestId, idempotency_key: this.origin.idempotencyKey },
    };
    this.tables.event.put(event);
    this.events.push(event);
  }
}
