import { readdir, readFile } from 'node:fs/promises';
import { ATTACKS } from './attack-rows.ts';

const FOLDER = new URL('../../../e2e/attacks/', import.meta.url);
const BEGIN = '<!-- attacks: made by `npm run docs` from the names of the tests -->';
const END = '<!-- /attacks -->';

interface TestedAttack {
  readonly id: string;
  /** What is tried, and what must happen. */
  readonly name: string;
  readonly file: string;
}

/** Returns the tests of `e2e/attacks`, whose names are `<id>: <sentence>`. */
async function readTests(): Promise<TestedAttack[]> {
  const files = (await readdir(FOLDER)).filter(file => file.endsWith('.test.ts')).toSorted();
  const found = await Promise.all(
    files.map(async file => {
      const source = await readFile(new URL(file, FOLDER), 'utf8');
      const names = source.matchAll(/\bit(?:\.each\([\s\S]*?\))?\(\s*(['"`])(S\d+): ([\s\S]*?)\1/g);
      return [...names].map(([, , id = '', name = '']) => ({ id, name, file }));
    }),
  );
  return found.flat();
}

/** Returns `page`, a Markdown text, with its table of attacks as the tests state them now. */
export async function withAttacksTable(page: string): Promise<string> {
  const tests = await readTests();
  const rows = Object.entries(ATTACKS).map(([id, attack]) => {
    const own = tests.filter(test => test.id === id);
    const files = [...new Set(own.map(({ file }) => `[tested](../e2e/attacks/${file})`))].join(', ');
    const expected = own.map(({ name }) => name).join('<br>');
    return `| ${id} | ${attack} | ${expected} | ${files || '**not tested**'} |`;
  });
  const table = ['| | Attack | What must happen | State |', '|---|---|---|---|', ...rows].join('\n');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/security.md needs the lines ${BEGIN} and ${END}.`);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}
