import { z } from 'zod';
import { rehearsal } from './rehearsal.ts';

/** Returns the JSON Schema of a rehearsal, with which editors complete and check its file. */
export function rehearsalSchema(): string {
  const schema = z.toJSONSchema(rehearsal, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
