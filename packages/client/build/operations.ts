import { allOperations } from '@billing/contracts/operations/index';
import type { Operation } from '@billing/contracts/operation';
import { z } from 'zod';

/** @throws Error when no operation is declared with the id */
export function operationOf(id: string): Operation {
  const operation = allOperations.find(declared => declared.id === id);
  if (!operation) throw new Error(`No operation is declared as ${id}.`);
  return operation;
}

/** The fields of a response by name; none when the contracts name it as a whole. */
export const fieldsOf = ({ response }: Operation): readonly (readonly [name: string, field: z.ZodType])[] =>
  response instanceof z.ZodObject && z.globalRegistry.get(response)?.id === undefined
    ? Object.entries<z.ZodType>(response.shape)
    : [];

/** What a list has: its items under their name, and whether its pages are counted; undefined for another response. */
export function listOf(operation: Operation): { name: string; item: z.ZodType; isCounted: boolean } | undefined {
  const fields = fieldsOf(operation);
  const isCounted = fields.some(([name]) => name === 'pagination');
  if (!isCounted && !fields.some(([name]) => name === 'nextCursor')) return undefined;
  const [found] = fields.flatMap(([name, field]) => (field instanceof z.ZodArray ? [{ name, field }] : []));
  return found && { name: found.name, item: found.field.element as z.ZodType, isCounted }; // the contracts have no others
}

/** The parameters of an operation's path below `root`, in their order. */
export const idsOf = ({ path }: Operation, root: string): string[] =>
  [...path.slice(root.length).matchAll(/:(\w+)/g)].map(([, name]) => String(name));
