import type { Tenant } from '../../system/tenant.ts';

/** All of a list of the processor's, the newest first. */
export async function readAllAtProcessor<Item extends { readonly id: string }>(
  { askProcessor }: Pick<Tenant, 'askProcessor'>,
  path: string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const last = items.at(-1);
    const page = await askProcessor(`${path}?limit=100${last ? `&starting_after=${last.id}` : ''}`);
    items.push(...page.data);
    if (!page.has_more) return items;
  }
}
