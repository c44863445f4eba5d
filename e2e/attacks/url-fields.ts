import { allOperations } from '@billing/contracts/operations/index';
import type { Tenant } from '../system/tenant.ts';
import { fieldsOf } from '../system/operations/requests.ts';

/** A field of a request that takes the address of a web page. */
interface UrlField {
  readonly field: string;
  /** Below the project's path. */
  readonly path: string;
  /** A valid body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns every field whose name says that it takes a URL, with a valid body of its operation. */
export function urlFields({ P }: Tenant, ids: Readonly<Record<string, string>>): UrlField[] {
  return allOperations.flatMap(({ path, body, example, method }) => {
    const urls = fieldsOf(body).filter(field => /ur[il]$/i.test(field));
    if (urls.length === 0 || method === 'GET') return [];
    const filled = Object.entries(example.body as object).map(([name, value]) => [name, ids[name] ?? value]);
    const below = path.split('/').slice(P.split('/').length).join('/');
    return urls.map(field => ({ field, path: `/${below}`, body: Object.fromEntries(filled) as UrlField['body'] }));
  });
}
