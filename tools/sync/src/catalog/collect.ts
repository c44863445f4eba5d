/** Reads all items of a list. */
export async function collect<Item>(list: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
