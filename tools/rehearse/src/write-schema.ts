import { writeFile } from 'node:fs/promises';
import { rehearsalSchema } from './json-schema.ts';

await writeFile(new URL('../../../docs/rehearsal.schema.json', import.meta.url), rehearsalSchema());
