import { glob, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ATTACKS } from './attack-rows.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TESTS = ['e2e/{attacks,test}/**/*.test.ts', '{services,packages}/*/{src,test}/**/*.test.ts'];
const BEGIN = '<!-- attacks: made by `npm run docs` from the names of the tests -->';
const END = '<!-- /attacks -->';

/** Returns the files of tests by the ids of the attacks that they show; the name of such a test is `<id>: <sentence>`, or has several ids. */
async function filesByAttack(): Promise<ReadonlyMap<string, readonly string[]>> {
  const byAttack = new Map<string, string[]>();
  for (const pattern of TESTS) {
    const files: string[] = [];
    for await (const file of glob(pattern, { cwd: ROOT, exclude: name => name === 'node_modules' })) files.push(file);
    for (const file of files.toSorted()) {
      const source = await readFile(`${ROOT}${file}`, 'utf8');
      const names = source.matchAll(/['"`]((?:S\d+, )*S\d+): /g);
      const ids = new Set([...names].flatMap(([, name = '']) => name.split(', ')));
      for (const id of ids) byAttack.set(id, [...(byAttack.get(id) ?? []), file]);
    }
  }
  return byAttack;
}

/** Returns `page`, a Markdown text, with its list of attacks and the files that test them now. */
export async function withAttacksTable(page: string): Promise<string> {
  const byAttack = await filesByAttack();
  const rows = Object.entries(ATTACKS).map(([id, attack]) => {
    const files = byAttack.get(id) ?? [];
    const links = files.map((file, index) => `[${index === 0 ? id : basename(file)}](../${file})`);
    return `- ${links.join(', ') || `${id} (**not tested**)`} ${attack}`;
  });
  const table = rows.join('\n');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/security.md needs the lines ${BEGIN} and ${END}.`);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}
