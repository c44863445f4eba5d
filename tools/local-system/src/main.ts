import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Every start after the first reads the compiled code of each module from here, which costs less time and memory.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/billing'));
await import('./start.ts');
