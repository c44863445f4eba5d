import type { Stripe } from 'stripe';
import { newId } from '../domain/ids.ts';
import { previousAttributes } from '../domain/previous-attributes.ts';
import type { EventType, StoredEvent } from '../objects/stored.ts';
import type { TableName, Tables } from '../objects/tables.ts';
import type { Account } from '../store/account.ts';
import { cutNestedLists } from './nested-lists.ts';

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

  /** Adds a new object of the API and records it in the ledger. Returns the object. */
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

  /** Replaces an object with a changed copy and emits `event` if anything differs. Returns the copy. */
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

  /** Records an event with a snapshot of the object. It is sent when the unit of work is committed. */
  emit(type: EventType, object: object, previous?: Stripe.Event.Data.PreviousAttributes): void {
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
