import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { expect, it } from 'vitest';
import { PORTAL_LANGUAGES } from '@billing/contracts/resources/portal-session';
import { MESSAGES, type MessageKey } from './messages.ts';

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** The names of the arguments and tags of a message. */
function argumentsOf(elements: readonly Element[]): string[] {
  return elements.flatMap(element => [
    ...('value' in element && 'type' in element && element.type !== LITERAL ? [element.value] : []),
    ...('children' in element ? argumentsOf(element.children) : []),
    ...('options' in element ? Object.values(element.options).flatMap(({ value }) => argumentsOf(value)) : []),
  ]);
}
const LITERAL = new IntlMessageFormat('text', 'en').getAst()[0]?.type;
const named = (text: string) => [...new Set(argumentsOf(new IntlMessageFormat(text, 'en').getAst()))].toSorted();

const { en } = MESSAGES;
const keys = Object.keys(en) as MessageKey[]; // its own keys

it.each(PORTAL_LANGUAGES)('has the texts of English, in the same order: %s', language => {
  expect(Object.keys(MESSAGES[language])).toEqual(keys);
});

it.each(PORTAL_LANGUAGES)('has the same arguments in every text: %s', language => {
  for (const key of keys) expect([key, ...named(MESSAGES[language][key])]).toEqual([key, ...named(en[key])]);
});

it('has no text that no view shows', () => {
  const views = globSync(join(import.meta.dirname, '../../**/*.ts')).filter(file => !file.includes('/messages/'));
  const source = views.map(file => readFileSync(file, 'utf8')).join('');
  expect(keys.filter(key => !source.includes(`'${key}'`))).toEqual([]);
});
