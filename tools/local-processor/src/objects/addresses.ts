import type { Unit } from '../api/unit.ts';
import { invoiceAddresses } from './invoice.ts';

/** Where people pay a session. */
export function checkoutAddress(publicUrl: string, sessionId: string): string {
  return `${publicUrl}/c/pay/${sessionId}`;
}

/** Lets everything kept from an earlier process name the addresses of this one, whose port may be another. */
export function moveAddresses(unit: Unit): void {
  for (const session of unit.tables['checkout.session'].newestFirst())
    if (session.url !== null)
      unit.update('checkout.session', session, { url: checkoutAddress(unit.publicUrl, session.id) });
  for (const invoice of unit.tables.invoice.newestFirst())
    if (invoice.status !== 'draft') unit.update('invoice', invoice, invoiceAddresses(unit, invoice.id));
}
