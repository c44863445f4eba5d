import type { Customer } from '@billing/client';
import type { ProjectScope } from './project.ts';

/** Returns how a customer is called: by name, or else by e-mail address, or else by id. Imported customers may have neither. */
export const customerTitle = ({ id, name, email }: Pick<Customer, 'id' | 'name' | 'email'>): string =>
  name?.trim() || email || id;

/** How many ids one request takes. */
const MAX_IDS = 100;
const WAIT_MS = 5;

interface Waiting {
  readonly id: string;
  readonly resolve: (customer: Customer | null) => void;
  readonly reject: (error: unknown) => void;
}

const waitingOf = new Map<string, Waiting[]>();

/** Returns a customer, or null when it does not exist any more. Those that a page asks for at once share a request. */
export function findCustomer(scope: ProjectScope, id: string): Promise<Customer | null> {
  const project = `${scope.teamId}/${scope.projectId}`;
  return new Promise((resolve, reject) => {
    const waiting = waitingOf.get(project) ?? [];
    waiting.push({ id, resolve, reject });
    waitingOf.set(project, waiting);
    if (waiting.length >= MAX_IDS) void load(scope, project);
    else if (waiting.length === 1) setTimeout(() => void load(scope, project), WAIT_MS);
  });
}

async function load({ billing }: ProjectScope, project: string): Promise<void> {
  const waiting = waitingOf.get(project) ?? [];
  waitingOf.delete(project);
  if (waiting.length === 0) return;
  try {
    const ids = [...new Set(waiting.map(({ id }) => id))] as Customer['id'][]; // they come from the API
    const { items } = await billing.customers.list({ ids, limit: MAX_IDS }).page();
    const byId = new Map<string, Customer>(items.map(customer => [customer.id, customer]));
    for (const { id, resolve } of waiting) resolve(byId.get(id) ?? null);
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}
