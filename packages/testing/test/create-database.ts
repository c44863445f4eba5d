import { createTestDatabase } from '@billing/testing/database';
import { schemaWith } from './template-schema.ts';

// A test process: creates a database whose template has the table of the first argument, and prints its URL.
const { url } = await createTestDatabase('catalog', schemaWith(process.argv[2] ?? ''));
console.log(url);
