import type { Customer } from '@billing/client';
import { findTogether, MAX_IDS } from './find-together.ts';

/** Returns how a customer is called: by name, or else by e-mail address, or else by id. Imported customers may have neither. */
export const customerTitle = ({ id, name, email }: Pick<Customer, 'id' | 'name' | 'email'>): string =>
  name?.trim() || email || id;

/** Finds a customer. */
export const findCustomer = findTogether<Customer>(
  async ({ billing }, ids) => (await billing.customers.list({ ids: [...ids], limit: MAX_IDS }).page()).items,
);
