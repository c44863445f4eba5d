import { readdir, readFile } from 'node:fs/promises';
import { ATTACKS } from './attack-rows.ts';

const FOLDER = new URL('../../../e2e/attacks/', import.meta.url);
const BEGIN = '<!-- attacks: made by `npm run docs` from e2e/attacks -->';
const END = '<!-- /attacks -->';

/** Returns the files of `e2e/attacks` by the ids of the attacks that they test; the name of such a test is `<id>: <sentence>`. */
async function filesByAttack(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = (await readdir(FOLDER)).filter(file => file.endsWith('.test.ts')).toSorted();
  const byAttack = new Map<string, string[]>();
  for (const file of files) {
    const source = await readFile(new URL(file, FOLDER), 'utf8');
    const names = source.matchAll(/\bit(?:\.each\([\s\S]*?\))?\(\s*['"`](S\d+): /g);
    for (const id of new Set([...names].map(([, name = '']) => name)))
      byAttack.set(id, [...(byAttack.get(id) ?? []), file]);
  }
  return byAttack;
}

/** Returns `page`, a Markdown text, with its list of attacks and the files that test them now. */
export async function withAttacksTable(page: string): Promise<string> {
  const byAttack = await filesByAttack();
  const rows = Object.entries(ATTACKS).map(([id, attack]) => {
    const files = byAttack.get(id) ?? [];
    const links = files.map((file, index) => `[${index === 0 ? id : file}](../e2e/attacks/${file})`);
    return `- ${links.join(', ') || `${id} (**not tested**)`} ${attack}`;
  });
  const table = rows.join('\n');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/security.md needs the lines ${BEGIN} and ${END}.`);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}
