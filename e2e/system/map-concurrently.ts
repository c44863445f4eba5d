/** Requests at a time: enough to be quick, few enough that a busy machine responds to each. */
const AT_A_TIME = 24;

/** Calls `task` for every item, `atATime` of them together, and returns the results in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<Result>,
  atATime = AT_A_TIME,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const work = async () => {
    for (const [index, item] of left) results[index] = await task(item, index);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return results;
}
